import Foundation

/// Finds the place in a JSON document that a `DecodingError` speaks of.
struct JSONLocator {
  private let bytes: [UInt8]

  /// - Parameter body: The document; only UTF-8 can be searched.
  init?(_ body: Data) {
    guard !body.prefix(4).contains(0), !body.starts(with: [0xFF, 0xFE]) else { return nil }
    bytes = Array(body)
  }

  /// The first mistake in the text, `nil` if there is none.
  var mistake: JSONMistake? {
    var scanner = start
    do throws(JSONMistake) {
      try scanner.value()
      try scanner.end()
      return nil
    } catch {
      return error
    }
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
    let isFound = try? step(intoObject: key, &scanner)
    return isFound ?? false
  }

  private func step(
    intoObject key: any CodingKey, _ scanner: inout JSONScanner
  ) throws(JSONMistake) -> Bool {
    guard scanner.skip(UInt8(ascii: "{")) else { return try step(intoArray: key, &scanner) }
    repeat {
      var name = 0..<0
      try scanner.name { part throws(JSONMistake) in
        if case .name(let range) = part { name = range }
      }
      if matches(scanner.text(name), key.stringValue) { return true }
      try scanner.value()
    } while scanner.skip(UInt8(ascii: ","))
    return false
  }

  private func step(
    intoArray key: any CodingKey, _ scanner: inout JSONScanner
  ) throws(JSONMistake) -> Bool {
    guard scanner.skip(UInt8(ascii: "[")) else { return false }
    for _ in 0..<(key.intValue ?? 0) {
      try scanner.value()
      guard scanner.skip(UInt8(ascii: ",")) else { return false }
    }
    return true
  }

  /// Whether a member's name is a coding key, as it stands or as a key strategy may have turned it.
  private func matches(_ text: String, _ name: String) -> Bool {
    text == name
      || text.filter { $0 != "_" }.lowercased() == name.filter { $0 != "_" }.lowercased()
  }
}
