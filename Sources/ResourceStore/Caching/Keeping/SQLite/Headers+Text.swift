internal import ResourceLoading

/// Headers in one text, as a column holds them: each name and each value ends with a NUL, which neither can have.
extension Headers {
  /// The text.
  var stored: String { map { "\($0.name.rawValue)\0\($0.value)\0" }.joined() }

  /// The headers of a text; `nil` if it isn't one of headers.
  init?(stored text: String) {
    self.init()
    var parts = text.utf8.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.popLast()?.isEmpty == true, parts.count.isMultiple(of: 2) else { return nil }
    for index in stride(from: 0, to: parts.count, by: 2) {
      append(Name(rawValue: String(Substring(parts[index]))), String(Substring(parts[index + 1])))
    }
  }
}
