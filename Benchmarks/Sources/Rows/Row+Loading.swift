extension Row {
  // What the way from a value to a parsed value adds to URLSession itself.
  public static let loadAwait = Row(
    "load-1KB-await", operations: 100, goals: [.handwritten: 1.03])
  public static let loadCallback = Row(
    "load-1KB-callback", operations: 100, goals: [.handwritten: 1.03])

  /// All rows of the loading suite, in the order of the table.
  public static let loading = [loadAwait, loadCallback]
}
