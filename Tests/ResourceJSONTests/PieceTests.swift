import Foundation
import ResourceJSON
import Testing

/// Documents that arrive in pieces, beside the same documents as a whole.
struct PieceTests {
  /// All files of the parsing suite.
  private static let suite =
    ParsingSuite.accepted + ParsingSuite.decodable + ParsingSuite.outOfRange
    + ParsingSuite.refused.map { ($0.name, $0.text) }

  /// What came out of a document: values and the error behind them.
  private struct Result: Equatable {
    var values: [Tree] = []
    var error: String?
  }

  /// An error with everything that must not depend on the pieces.
  private static func show(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let (name, context): (String, DecodingError.Context) =
      switch error {
      case .typeMismatch(let type, let context): ("mismatch \(type)", context)
      case .valueNotFound(let type, let context): ("no value \(type)", context)
      case .keyNotFound(let key, let context): ("no key \(key.stringValue)", context)
      case .dataCorrupted(let context): ("corrupted", context)
      @unknown default: preconditionFailure("an unknown error")
      }
    let path = context.codingPath.map { "\($0.stringValue)/\($0.intValue ?? -1)" }
    let position = JSONPosition(of: error)
    return "\(name) \(path) \(context.debugDescription) \(context.underlyingError ?? error) "
      + "\(position.map { "\($0.line):\($0.column):\($0.offset)" } ?? "nowhere")"
  }

  /// Splits data at offsets.
  private static func pieces(_ data: Data, at cuts: [Int]) -> [Data] {
    zip([0] + cuts, cuts + [data.count]).map { Data(data[$0..<$1]) }
  }

  private static func whole(_ data: Data) -> Result {
    do { return Result(values: [try JSONReader().decode(Tree.self, from: data)]) } catch {
      return Result(error: show(error))
    }
  }

  /// - Parameter grows: Whether each value so far goes on where the one before ends. Where a value
  ///   turns out to be wrong it is taken back.
  private static func partials(_ pieces: [Data], grows: Bool) -> Result {
    var document = JSONReader().partials(of: Tree.self)
    var last: Tree?
    do {
      for piece in pieces {
        guard let partial = try document.append(piece) else { continue }
        if grows, let last, !partial.soFar.extends(last) {
          return Result(error: "\(partial) doesn't extend \(last)")
        }
        last = partial.soFar
      }
      return Result(values: [try document.finish()])
    } catch {
      return Result(error: show(error))
    }
  }

  private static func elements(_ pieces: [Data], at path: String = "") -> Result {
    read(JSONReader().elements(of: Tree.self, at: path), pieces)
  }

  private static func read(_ elements: JSONElements<Tree>, _ pieces: [Data]) -> Result {
    var elements = elements
    var result = Result()
    do {
      for piece in pieces {
        elements.append(piece)
        while let element = try elements.next() { result.values.append(element) }
      }
      elements.finish()
      while let element = try elements.next() { result.values.append(element) }
    } catch {
      result.error = show(error)
    }
    return result
  }

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
    let whole = Self.whole(data)

    for cuts in Self.cuts(data.count) {
      let found = Self.partials(Self.pieces(data, at: cuts), grows: whole.error == nil)

      #expect(found == whole, "\(name) cut at \(cuts.prefix(3))")
      guard found == whole else { return }
    }
  }

  @Test(arguments: suite.indices)
  func `an element of the suite is the same wherever its document is cut`(index: Int) {
    let (name, text) = Self.suite[index]
    let data = Data(text.bytes)
    let first = Self.elements([data])

    // An array that is whole has the values of the document.
    if case .array(let values)? = Self.whole(data).values.first {
      #expect(first == Result(values: values), "\(name)")
    }
    for cuts in Self.cuts(data.count) {
      let found = Self.elements(Self.pieces(data, at: cuts))

      #expect(found == first, "\(name) cut at \(cuts.prefix(3))")
      guard found == first else { return }
    }
  }

  @Test(arguments: ParsingSuite.refused.indices)
  func `a mistake in elements has the reason and the position of the whole document`(index: Int) {
    let file = ParsingSuite.refused[index]
    let data = Data(file.text.bytes)
    let found = Self.elements([data])

    // What isn't an array is a mistake of another kind, which may come first.
    guard let error = found.error, !error.hasPrefix("mismatch"), !error.hasPrefix("no value") else {
      return
    }
    #expect(error == Self.whole(data).error, "\(file.name)")
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
      let whole = Self.whole(data)
      for cuts in Self.cuts(data.count).suffix(4) {
        let pieces = Self.pieces(data, at: cuts)

        #expect(Self.partials(pieces, grows: whole.error == nil) == whole, "\(text)")
        guard case .object(let members)? = whole.values.first,
          case .array(let values)? = members["a"]
        else { continue }
        #expect(Self.elements(pieces, at: "a") == Result(values: values), "\(text)")
      }
    }
  }
}

extension Tree {
  /// Whether a value goes on where another one ends.
  fileprivate func extends(_ earlier: Tree) -> Bool {
    switch (earlier, self) {
    case (.string(let earlier), .string(let later)):
      later.unicodeScalars.starts(with: earlier.unicodeScalars)
    case (.array(let earlier), .array(let later)):
      earlier.count <= later.count && zip(earlier, later).allSatisfy { $1.extends($0) }
    case (.object(let earlier), .object(let later)):
      earlier.allSatisfy { name, value in later[name]?.extends(value) == true }
    default: earlier == self
    }
  }
}
