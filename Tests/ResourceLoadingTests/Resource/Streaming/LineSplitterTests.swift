import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn)
struct LineSplitterTests {
  private static let table: [(text: String, lines: [String])] = [
    ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\nb", ["a", "b"]),
    ("a\r\nb\r\n", ["a", "b"]), ("a\rb\r", ["a", "b"]), ("a\n\nb", ["a", "", "b"]),
    ("a\r\n\r\nb", ["a", "", "b"]), ("a\r\rb", ["a", "", "b"]), ("a\n\rb", ["a", "", "b"]),
    ("ä\u{2028}b\u{85}c\n", ["ä\u{2028}b\u{85}c"]),
  ]

  private func lines(of pieces: [Data]) throws -> [String] {
    var splitter = LineSplitter(limit: 100)
    var lines = try pieces.flatMap { try splitter.split($0) }
    if let last = splitter.end() { lines.append(last) }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: table.indices)
  func `lines end with LF, CR LF or CR`(_ row: Int) throws {
    let (text, expected) = Self.table[row]

    #expect(try lines(of: [Data(text.utf8)]) == expected)
    #expect(try lines(of: text.utf8.map { Data([$0]) }) == expected)
    for cut in 0...text.utf8.count {
      let pieces = [Data(text.utf8.prefix(cut)), Data(text.utf8.dropFirst(cut))]
      #expect(try lines(of: pieces) == expected)
    }
  }

  @Test(arguments: [1, 7, 1000])
  func `a line beyond the limit is an error`(_ size: Int) {
    let long = Data(repeating: 120, count: 101)
    let pieces = stride(from: 0, to: long.count, by: size).map { long[$0..<min($0 + size, 101)] }

    #expect(throws: LoadError.self) { try lines(of: pieces.map { Data($0) }) }
    #expect(throws: LoadError.self) { try lines(of: [long + Data([10])]) }
  }
}
