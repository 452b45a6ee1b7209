import Foundation

/// Finds the place in a JSON document that a `DecodingError` speaks of.
struct JSONLocator {
  private let bytes: [UInt8]

  /// - Parameter body: The document; only UTF-8 can be searched.
  init?(_ body: Data) {
    guard !body.prefix(4).contains(0), !body.starts(with: [0xFF, 0xFE]) else { return nil }
    bytes = Array(body)
  }

  /// The offset of the first syntax mistake in bytes, `nil` if there is none.
  var syntaxMistake: Int? {
    var scanner = start
    guard scanner.skipValue() else { return scanner.offset }
    scanner.skipSpace()
    return scanner.current == nil ? nil : scanner.offset
  }

  /// The offset of the value at a path in bytes, or of the deepest container on the way that there is.
  func offset(of path: [any CodingKey]) -> Int {
    var scanner = start
    for key in path {
      let here = scanner
      guard step(into: key, &scanner) else { return here.offset }
      scanner.skipSpace()
    }
    return scanner.offset
  }

  private var start: JSONScanner {
    var scanner = JSONScanner(bytes)
    scanner.skipSpace()
    return scanner
  }

  /// The 1-based line and column (in characters) of an offset, and the text around it.
  func place(_ offset: Int) -> (line: Int, column: Int, snippet: String) {
    let before = bytes[..<min(offset, bytes.count)]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = before.count { $0 == 0x0A } + 1
    let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
    return (line, column, Snippet.around(offset, in: bytes))
  }
}

extension JSONLocator {
  private func step(into key: any CodingKey, _ scanner: inout JSONScanner) -> Bool {
    if scanner.skip("{") { return step(intoMember: key.stringValue, &scanner) }
    if scanner.skip("[") { return step(intoElement: key.intValue ?? 0, &scanner) }
    return false
  }

  private func step(intoMember name: String, _ scanner: inout JSONScanner) -> Bool {
    repeat {
      scanner.skipSpace()
      guard let raw = scanner.skipString(), scanner.skip(":") else { return false }
      if matches(raw, name) { return true }
      guard scanner.skipValue() else { return false }
    } while scanner.skip(",")
    return false
  }

  private func step(intoElement index: Int, _ scanner: inout JSONScanner) -> Bool {
    for _ in 0..<index {
      guard scanner.skipValue(), scanner.skip(",") else { return false }
    }
    return true
  }

  /// Whether a member's name is a coding key, as it stands or as a key strategy may have turned it.
  private func matches(_ raw: ArraySlice<UInt8>, _ name: String) -> Bool {
    let text = String(decoding: raw, as: UTF8.self)
    return text == name
      || text.filter { $0 != "_" }.lowercased() == name.filter { $0 != "_" }.lowercased()
  }
}
