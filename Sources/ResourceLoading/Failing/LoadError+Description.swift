public import Foundation

extension LoadError: CustomStringConvertible, CustomDebugStringConvertible {
  /// The whole story in a few lines: what happened, what the server says, where parsing failed, what was
  /// sent and what to do. It never shows a secret, and no control character of what a server sent.
  public var description: String {
    var lines = ["\(kind): \(reason)"]
    if let serverMessage { lines.append("  server says: \(serverMessage)") }
    if let parsing { lines += parsing.lines.map { "  \($0)" } }
    if attempts.count > 1 { lines += attempts.map { "  - \($0)" } }
    if let request { lines.append("  request: \(request)") }
    if let response { lines.append("  response: \(response)") }
    if let advice { lines.append("  hint: \(advice)") }
    return lines.map(\.printable).joined(separator: "\n")
  }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

extension LoadError: LocalizedError {
  /// What happened, in a sentence; the server's own message where it sent one.
  public var errorDescription: String? {
    guard let serverMessage else { return "\(kind): \(reason)".printable }
    return "\(kind): \(reason) (\(serverMessage))".printable
  }

  /// What to do about it.
  public var recoverySuggestion: String? { advice?.printable }
}

extension LoadError.Attempt: CustomStringConvertible {
  /// The exchange in a line: `GET https://example.org/ → 302 Found`.
  public var description: String { "\(method) \(url) → \(outcome)".printable }
}

extension LoadError.ReceivedResponse: CustomStringConvertible {
  /// Status, media type and size in a line, with the beginning of a textual body.
  public var description: String {
    let type = headers[.contentType].map { ", \($0)" } ?? ""
    let start = Snippet.start(of: body)
    return "\(status)\(type), \(bodySize) bytes".printable + (start.isEmpty ? "" : ": \(start)")
  }
}

extension LoadError.ParsingFailure {
  fileprivate var lines: [String] {
    let place = path.isEmpty ? "the root" : path
    let type = expectedType.map { " (wanted \($0))" } ?? ""
    let position = line.map { ", line \($0)" + (column.map { ", column \($0)" } ?? "") } ?? ""
    return ["at \(place)\(type)\(position)"] + (snippet.map { ["near: \($0)"] } ?? [])
  }
}
