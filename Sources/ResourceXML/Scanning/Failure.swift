/// An error while it is still inside: cheap to throw, its place an offset into the bytes at hand.
struct Failure: Error {
  var kind: XMLError.Kind
  var message: StaticString
  /// In the bytes that the failing function was given.
  var offset: Int
  /// The name that the message is about.
  var name: String?
  /// The bytes ended before the token did; more bytes may cure it.
  var isEnd = false

  init(_ kind: XMLError.Kind, _ message: StaticString, at offset: Int, name: String? = nil) {
    self.kind = kind
    self.message = message
    self.offset = offset
    self.name = name
  }

  static func syntax(_ message: StaticString, at offset: Int) -> Failure {
    Failure(.syntax, message, at: offset)
  }

  static func end(at offset: Int) -> Failure {
    var failure = Failure(.unexpectedEnd, "the document ends too early", at: offset)
    failure.isEnd = true
    return failure
  }

  var text: String {
    name.map { "\(message): \($0)" } ?? "\(message)"
  }
}
