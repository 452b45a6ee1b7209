/// The words of a command line, told apart one by one.
struct Words {
  /// What a word is.
  enum Word: Equatable {
    /// A name with its dashes, and what stands behind `=`, if there is one.
    case option(String, String?)
    /// Any other word.
    case other(String)
  }

  private var rest: ArraySlice<String>
  private var hasOptions = true

  init(_ words: [String]) { rest = words[...] }

  /// The next word, `nil` behind the last.
  mutating func next() -> Word? {
    guard let word = rest.popFirst() else { return nil }
    guard hasOptions, word.hasPrefix("-") else { return .other(word) }
    guard word != "--" else {
      hasOptions = false
      return next()
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return .option(String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
  }

  /// The value of an option: the one behind its `=`, else the next word.
  ///
  /// - Throws: `UsageError` if there is neither.
  mutating func value(_ option: String, _ given: String?) throws(UsageError) -> String {
    guard let value = given ?? rest.popFirst() else {
      throw UsageError("\(option) needs a value")
    }
    return value
  }
}
