public import Foundation
import ResourcePrimitives

extension LoadError: CustomStringConvertible {
  /// A description in a few lines: what happened, what the server says, where parsing failed, what
  /// was sent, and what to do. It never contains a secret, nor a control character of the server's
  /// text.
  public var description: String {
    var lines = ["\(kind): \(reason)"]
    if let serverMessage { lines.append("  server says: \(serverMessage)") }
    if let parsing { lines += parsing.lines.map { "  \($0)" } }
    if attempts.count > 1 { lines += attempts.map { "  - \($0)" } }
    if let curlCommand { lines.append("  request: \(curlCommand)") }
    if let response { lines.append("  response: \(response)") }
    if let advice { lines.append("  hint: \(advice)") }
    return lines.map(\.printable).joined(separator: "\n")
  }
}

extension LoadError: CustomReflectable {
  /// Shows the known details to `dump` and debuggers, and only the type of the underlying error,
  /// since its own text isn't redacted.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "kind": kind, "reason": reason, "advice": advice as Any, "curlCommand": curlCommand as Any,
        "response": response as Any, "serverMessage": serverMessage as Any,
        "parsing": parsing as Any, "attempts": attempts,
        "underlying": underlying.map { "\(type(of: $0))" } as Any,
      ])
  }
}

extension LoadError: LocalizedError {
  /// The reason, in one line for a log or an alert: `unaccepted status: the server answered 404 Not
  /// Found (No such user) [api.example.org/users/1]`, with the server's own message, or the place
  /// where parsing failed, and the host and path of the last request that was sent. It is what
  /// `localizedDescription` returns; ``description`` has all the details.
  public var errorDescription: String? {
    let place = parsing.flatMap { $0.path.isEmpty ? nil : ", at \($0.path)" } ?? ""
    let message = serverMessage.map { " (\($0))" } ?? ""
    let address = (attempts.last?.url ?? response?.url).map { " [\(Self.address(in: $0))]" } ?? ""
    return "\(kind): \(reason)\(place)\(message)\(address)".printable
  }

  /// Returns the host, port and path of a URL whose secrets are replaced.
  private static func address(in url: String) -> String {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let address = rest.prefix { $0 != "?" && $0 != "#" }
    let host = address.prefix { $0 != "/" }
    let user = host.lastIndex(of: "@").map { address.index(after: $0) }
    return String(address[(user ?? address.startIndex)...]).shortened(to: 200)
  }

  /// The advice: ``advice``.
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

extension LoadError {
  /// The server's response, with secrets replaced in all of it.
  public struct ReceivedResponse: Sendable, Hashable {
    /// The URL that answered, its secrets replaced.
    public var url: String
    /// The status.
    public var status: Status
    /// The headers, their secrets replaced.
    public var headers: Headers
    /// The first 64 KiB of the decoded body; secrets of the request in it are replaced.
    public var body: Data
    /// The bytes of the whole decoded body.
    public var bodySize: Int

    package init(url: String, status: Status, headers: Headers, body: Data, bodySize: Int) {
      self.url = url
      self.status = status
      self.headers = headers
      self.body = body
      self.bodySize = bodySize
    }
  }

  /// One exchange with a server.
  public struct Attempt: Sendable, Hashable {
    /// The method.
    public var method: RequestMethod
    /// The URL, its secrets replaced.
    public var url: String
    /// The outcome: `302 Found`, or the reason of a failure.
    public var outcome: String

    package init(method: RequestMethod, url: String, outcome: String) {
      self.method = method
      self.url = url
      self.outcome = outcome
    }
  }

  /// Where parsing failed.
  public struct ParsingFailure: Sendable, Hashable {
    /// The path to the value in the document, such as `items[3].author.name`; empty at the root.
    public var path: String
    /// The Swift type that was expected there, if known.
    public var expectedType: String?
    /// The 1-based line, if known.
    public var line: Int?
    /// The 1-based column in characters, if known.
    public var column: Int?
    /// The text around it, on one line of at most some 80 characters.
    public var snippet: String?

    /// Creates the record of a failure.
    ///
    /// - Parameters:
    ///   - path: The path to the value in the document.
    ///   - expectedType: The Swift type that was expected there.
    ///   - line: The 1-based line.
    ///   - column: The 1-based column.
    ///   - snippet: The text around it.
    public init(
      path: String, expectedType: String? = nil, line: Int? = nil, column: Int? = nil,
      snippet: String? = nil
    ) {
      self.path = path
      self.expectedType = expectedType
      self.line = line
      self.column = column
      self.snippet = snippet
    }
  }
}
