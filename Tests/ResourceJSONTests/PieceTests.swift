import Foundation
import ResourceJSON
import Testing

/// Documents that arrive in pieces, beside the same documents as a whole.
struct PieceTests {
  /// All files of the parsing suite.
  private static let suite =
    ParsingSuite.accepted + ParsingSuite.decodable + ParsingSuite.outOfRange
    + ParsingSuite.refused.map { ($0.name, $0.text) }

  /// The cuts of a document into two pieces, or some of them at random, and one into single bytes.
  private static func cuts(_ count: Int) -> [[Int]] {
    guard count > 200 else {
      return (0...count).map { [$0] } + [Array(0...count)]
    }
    var random = Seeded(UInt64(count))
    let several = (0..<8).map { _ in
      (0..<5).map { _ in Int.random(in: 0...count, using: &random) }.sorted()
    }
    return several + [Array(stride(from: 0, to: count, by: max(1, count / 200)))]
  }

  @Test(arguments: suite.indices)
  func `a document of the suite that is cut anywhere is the same as a whole`(index: Int) {
    let (name, text) = Self.suite[index]
    let data = Data(text.bytes)
    let whole = PieceTrial.whole(data)

    for cuts in Self.cuts(data.count) {
      let found = PieceTrial.partials(PieceTrial.pieces(data, at: cuts), grows: whole.error == nil)

      #expect(found == whole, "\(name) cut at \(cuts.prefix(3))")
      guard found == whole else { return }
    }
  }

  @Test(arguments: suite.indices)
  func `an element of the suite is the same wherever its document is cut`(index: Int) {
    let (name, text) = Self.suite[index]
    let data = Data(text.bytes)
    let first = PieceTrial.elements([data])

    // An array that is whole has the values of the document.
    if case .array(let values)? = PieceTrial.whole(data).values.first {
      #expect(first == PieceTrial.Result(values: values), "\(name)")
    }
    for cuts in Self.cuts(data.count) {
      let found = PieceTrial.elements(PieceTrial.pieces(data, at: cuts))

      #expect(found == first, "\(name) cut at \(cuts.prefix(3))")
      guard found == first else { return }
    }
  }

  @Test(arguments: ParsingSuite.refused.indices)
  func `a mistake in elements has the reason and the position of the whole document`(index: Int) {
    let file = ParsingSuite.refused[index]
    let data = Data(file.text.bytes)
    let found = PieceTrial.elements([data])

    // What isn't an array is a mistake of another kind, which may come first.
    guard let error = found.error, !error.hasPrefix("mismatch"), !error.hasPrefix("no value") else {
      return
    }
    #expect(error == PieceTrial.whole(data).error, "\(file.name)")
  }

  @Test(arguments: 0..<40)
  func `a document made at random is the same in pieces, in every encoding`(seed: Int) throws {
    var generator = Generator(UInt64(seed))
    let text =
      "{\"x\":[1,{\"é\":\"ü😀\\ud83d\\ude00\"}],\n \"a\":["
      + "\(generator.value(depth: 0)),\(generator.value(depth: 0))] , \"z\":{}}"
    for encoding in [
      String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian,
      .utf32BigEndian,
    ] {
      let data = try #require(text.data(using: encoding))
      let whole = PieceTrial.whole(data)
      for cuts in Self.cuts(data.count).suffix(4) {
        let pieces = PieceTrial.pieces(data, at: cuts)

        #expect(PieceTrial.partials(pieces, grows: whole.error == nil) == whole, "\(text)")
        guard case .object(let members)? = whole.values.first,
          case .array(let values)? = members["a"]
        else { continue }
        let elements = PieceTrial.elements(pieces, at: "a")
        #expect(elements == PieceTrial.Result(values: values), "\(text)")
      }
    }
  }
}
