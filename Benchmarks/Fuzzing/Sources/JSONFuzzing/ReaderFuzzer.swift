import Foundation
import Trials

@testable import ResourceJSON

/// What `JSONReader` is made of, by claims that don't need Foundation: fast enough for tens of
/// millions of documents.
///
/// What is JSON is decided by the grammar, word for word; what is decoded, by other ways to the
/// same value. One document in some dozens is sent to `JSONDecoder` as well.
struct ReaderFuzzer: Fuzzer {
  // An error names the way to its value, which may be 512 steps long.
  let bounds = Bounds(
    time: (constant: 50_000_000, perByte: 200_000), memory: (constant: 4 << 20, perByte: 400))

  /// One document in so many has its error explained, and is sent to Foundation unless it is longer
  /// or nested deeper than this: to ask it for one type after the other takes more than the square.
  private static let compared = (one: 64, length: 1 << 10, depth: 8)

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    let isRare = choices.pick(Self.compared.one) == 0
    let place = choices.pick(256)
    let index = index(of: payload)
    claim(index == Index(of: payload), "another index the second time")
    index.check(against: payload)
    if index.reason == nil {
      decode(payload, isRare, &choices)
    } else if isRare {
      explain(payload)
    }
    if !payload.isEmpty { checkNeighbours(of: payload, at: place % payload.count) }
  }

  /// The index of a document, which is JSON if the grammar says so.
  private func index(of payload: [UInt8]) -> Index {
    let index = Index(of: payload)
    claim(
      (index.reason == nil) == Grammar.accepts(payload),
      "to the reader \(index.reason ?? "it is JSON"), to the grammar not")
    return index
  }

  /// What stands in the place of one byte: what JSON is made of, and the ends of ranges in UTF-8.
  private static let others =
    Array("\"\\,:[]{}0159.eE+-tfnu/ \n".utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xE0, 0xED, 0xF4]

  /// Claims the same of the 32 documents that have another byte in one place: to run the fuzzer
  /// takes longer than to read a short document.
  private func checkNeighbours(of payload: [UInt8], at place: Int) {
    var neighbour = payload
    for byte in Self.others {
      neighbour[place] = byte
      _ = index(of: neighbour)
    }
  }

  /// Claims that a document that isn't JSON to the index is none to the reader either.
  private func explain(_ payload: [UInt8]) {
    let outcome = JSONOutcome { try JSONReader().decode(Tree.self, from: Data(payload)) }
    outcome.checkPlace(in: payload)
    guard JSONOutcome<Tree>.isComparable(payload) else { return }
    claim(outcome.syntax != nil, "\(outcome) for what isn't JSON")
    compareWithFoundation(outcome, payload)
  }

  private func compareWithFoundation(_ outcome: JSONOutcome<Tree>, _ payload: [UInt8]) {
    guard payload.count <= Self.compared.length, Self.depth(of: payload) <= Self.compared.depth,
      JSONOutcome<Tree>.isComparable(payload)
    else { return }
    let data = Data(payload)
    outcome.check(
      beside: JSONOutcome { try JSONDecoder().decode(Tree.self, from: data) }, payload)
  }
}

extension ReaderFuzzer {
  /// How deep a document is nested, if there are no brackets in its strings.
  private static func depth(of payload: [UInt8]) -> Int {
    var (depth, deepest) = (0, 0)
    for byte in payload {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      deepest = max(deepest, depth)
    }
    return deepest
  }
}

// MARK: - Decoding in several ways

extension ReaderFuzzer {
  private func decode(_ payload: [UInt8], _ isRare: Bool, _ choices: inout Choices) {
    let data = Data(payload)
    switch choices.pick(8) {
    case 0: compare([Int].self, [Plain<Int>].self, data) { $0.map(\.value) }
    case 1: compare([[Double]].self, [[Plain<Double>]].self, data) { $0.map { $0.map(\.value) } }
    case 2: compare([String].self, [Plain<String>].self, data) { $0.map(\.value) }
    case 3:
      compare([String: Int].self, [String: Plain<Int>].self, data) { $0.mapValues(\.value) }
    case 4: checkMembers(data, choices.pick(Self.strategies))
    case 5: checkEncoding(payload, choices.pick(Self.encodings))
    default: checkParts(data)
    }
    guard isRare else { return }
    compareWithFoundation(
      JSONOutcome { try JSONReader().decode(Tree.self, from: data) }, payload)
  }

  /// Claims that a list or dictionary of simple values is what it is with each value decoded by
  /// itself.
  private func compare<Fast: Decodable & Equatable, Slow: Decodable>(
    _ fast: Fast.Type, _ slow: Slow.Type, _ data: Data, _ convert: (Slow) -> Fast
  ) {
    JSONOutcome { try JSONReader().decode(fast, from: data) }
      .check(equals: JSONOutcome { convert(try JSONReader().decode(slow, from: data)) })
  }

  /// Claims that the parts of a document in their order make what its containers make.
  private func checkParts(_ data: Data) {
    // As for Foundation, a number that is too small for a `Double` is the whole number 0, and no
    // `Double`.
    guard !String(decoding: data, as: UTF8.self).lowercased().contains("e-") else { return }
    let parts = JSONOutcome { try JSONReader().decode(Parts.self, from: data) }
    // A part keeps the digits of a number that is too large for one.
    if case .value(let parts) = parts, !parts.isFinite { return }
    JSONOutcome { try parts.get().tree }
      .check(equals: JSONOutcome { try JSONReader().decode(Tree.self, from: data) })
  }

  private static let strategies: [JSONDecoder.KeyDecodingStrategy] = [
    .useDefaultKeys, .convertFromSnakeCase,
  ]

  /// Claims that members are found in any order, and by a table as well as one by one.
  private func checkMembers(_ data: Data, _ strategy: JSONDecoder.KeyDecodingStrategy) {
    let (searching, looking) = (JSONDecoder(), JSONDecoder())
    searching.keyDecodingStrategy = strategy
    // With a closure all names are read once, and kept.
    looking.keyDecodingStrategy = .custom { path in
      let name = path.last?.stringValue ?? ""
      if case .convertFromSnakeCase = strategy { return Name(name.camelCase) }
      return Name(name)
    }
    let found = JSONOutcome { try JSONReader(searching).decode(Members.self, from: data) }
    found.check(equals: JSONOutcome { try JSONReader(looking).decode(Members.self, from: data) })
    found.checkPlace(in: Array(data))
    if case .value(let members) = found {
      claim(members.forwards == members.backwards, "\(members.forwards), \(members.backwards)")
    }
  }

  private static let encodings: [(String.Encoding, mark: [UInt8])] = [
    (.utf16LittleEndian, [0xFF, 0xFE]), (.utf16BigEndian, [0xFE, 0xFF]),
    (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]), (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
  ]

  /// Claims that a document is the same in another encoding.
  private func checkEncoding(_ payload: [UInt8], _ encoding: (String.Encoding, mark: [UInt8])) {
    let text = String(decoding: payload, as: UTF8.self)
    // A mark of UTF-8 would be a character of the text.
    guard payload.first != 0xEF, let coded = text.data(using: encoding.0) else { return }
    let other = JSONOutcome {
      try JSONReader().decode(Tree.self, from: Data(encoding.mark) + coded)
    }
    let utf8 = JSONOutcome { try JSONReader().decode(Tree.self, from: Data(payload)) }
    other.checkPlace(in: encoding.mark + coded)
    switch (utf8, other) {
    case (.value(let one), .value(let other)): claim(one == other, "\(one) and \(other)")
    case (.failure, .failure): break
    default: claim(false, "\(utf8) and \(other)")
    }
  }
}
