/// Lets documents use the entities of HTML that XML doesn't know, `&nbsp;` above all: many feeds do.
enum HTMLEntities {
  /// The document with a document type that declares them before its root.
  ///
  /// - Parameter document: A document in an encoding like ASCII.
  /// - Returns: `nil` if it has a document type already, or has no root.
  static func declared(in document: [UInt8]) -> [UInt8]? {
    guard let root = root(of: document),
      !String(decoding: document[..<root], as: UTF8.self).contains("<!DOCTYPE")
    else { return nil }
    return Array(document[..<root]) + documentType.utf8 + document[root...]
  }

  /// Where the first `<` with a letter behind it stands.
  private static func root(of document: [UInt8]) -> Int? {
    zip(document.indices, document.dropFirst()).first { index, next in
      document[index] == UInt8(ascii: "<") && isLetter(next)
    }?.0
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static var documentType: String {
    let own: Set = ["amp", "lt", "gt", "quot", "apos"]
    let entities = PlainText.named.filter { !own.contains($0.key) }.map { name, text in
      "<!ENTITY \(name) \"\(text.unicodeScalars.map { "&#\($0.value);" }.joined())\">"
    }
    return "<!DOCTYPE feed [\(entities.joined())]>"
  }
}
