extension Row {
  /// All rows of all suites, in the order of the table.
  public static let all = promises + loading + clients + sockets + json + xml + store + cache
}
