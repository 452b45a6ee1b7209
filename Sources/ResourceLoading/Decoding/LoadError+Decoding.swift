import Foundation
import ResourceJSON
import ResourcePrimitives

extension LoadError {
  /// Creates the error for a document that can't be decoded, with the line and column of the
  /// failure.
  package init(
    decoding error: DecodingError, of type: Any.Type, in response: Response,
    secretNames: Set<String>? = nil
  ) {
    self =
      Self.notEvenJSON(response, type)
      ?? LoadError(error, in: response.body, called: "body", secretNames: secretNames)
    underlying = error
  }

  /// Creates the error for JSON text that can't be decoded. `text` is `nil` if its beginning has
  /// been dropped.
  init(
    _ error: DecodingError, in text: Data?, called name: String = "text",
    secretNames: Set<String>? = nil
  ) {
    var cause = Cause(error, secretNames)
    // Another decoder, in a user's parser, doesn't have the position in its error.
    if cause.isSyntax { cause.syntax = cause.syntax ?? text.flatMap { JSONSyntaxError(in: $0) } }
    self.init(.parsing, cause.syntax.map { "the \(name) isn't JSON: \($0.reason)" } ?? cause.reason)
    var failure = ParsingFailure(path: cause.path.dotted, expectedType: cause.type)
    let position =
      cause.syntax?.position ?? JSONPosition(of: error)
      ?? text.flatMap { JSONPosition(of: error, in: $0) }
    failure.set(position, in: text)
    parsing = failure
  }

  /// The error for a body that isn't JSON at all: empty, HTML or XML.
  private static func notEvenJSON(_ response: Response, _ type: Any.Type) -> LoadError? {
    let start = response.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let start else {
      let what = response.body.isEmpty ? "is empty" : "has nothing but white space"
      var error = LoadError(.parsing, "the body \(what), so there is no \(type) in it")
      error.parsing = ParsingFailure(path: "", expectedType: "\(type)")
      return error
    }
    guard start == UInt8(ascii: "<") else { return nil }
    let isHTML = response.mediaType?.essence == "text/html"
    var error = LoadError(
      .parsing, "the body is \(isHTML ? "HTML" : "markup"), not JSON",
      advice: "Check the URL: servers answer like this for login, error and landing pages")
    error.parsing = ParsingFailure(
      path: "", expectedType: "\(type)", line: 1, column: 1,
      snippet: Snippet.start(of: response.body))
    return error
  }
}

private struct Cause {
  var reason: String
  var path: [any CodingKey]
  var type: String?
  var isSyntax = false
  var syntax: JSONSyntaxError?

  init(_ error: DecodingError, _ secretNames: Set<String>?) {
    switch error {
    case .keyNotFound(let key, let context):
      reason = "the key \(key.stringValue.debugDescription) is missing"
      path = context.codingPath + [key]
    case .valueNotFound(let type, let context):
      reason = "there is null where a value is needed"
      path = context.codingPath
      self.type = "\(type)"
    case .typeMismatch(let type, let context):
      reason = "the value has another type: \(context.redactedDescription(besides: secretNames))"
      path = context.codingPath
      self.type = "\(type)"
    case .dataCorrupted(let context):
      reason = "the value can't be read: \(context.redactedDescription(besides: secretNames))"
      path = context.codingPath
      isSyntax = context.codingPath.isEmpty
      syntax = context.underlyingError as? JSONSyntaxError
    @unknown default:
      reason = "decoding failed: \(error)"
      path = []
    }
  }
}

extension LoadError.ParsingFailure {
  /// Sets the position in a body and the text around it; that of UTF-16 isn't shown.
  fileprivate mutating func set(_ position: JSONPosition?, in body: Data?) {
    guard let position else { return }
    (line, column) = (position.line, position.column)
    guard let body, !body.prefix(4).contains(0), !body.starts(with: [0xFF, 0xFE]) else { return }
    snippet = Snippet.around(position.offset, in: Array(body))
  }
}
