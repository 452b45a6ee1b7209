import Foundation
import ResourceJSON
import ResourceLoading
import Trials

/// Documents for `JSONReader`, a share of them beside `JSONDecoder`, which must come to the same.
struct JSONFuzzer: Fuzzer {
  // An error names the way to its value, which may be 512 steps long.
  let bounds = Bounds(
    time: (constant: 50_000_000, perByte: 200_000), memory: (constant: 4 << 20, perByte: 400))

  /// One document in so many is sent to Foundation as well, unless it is longer than this: some of
  /// its ways take the square.
  private static let compared = (one: 16, length: 4 << 10)

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    let isCompared =
      choices.pick(Self.compared.one) == 0 && payload.count <= Self.compared.length
    let decoder = decoder(&choices)
    let data = Data(payload)

    let any = JSONOutcome { try JSONReader(decoder).decode(JSONValue.self, from: data) }
    let model = JSONOutcome { try JSONReader(decoder).decode(Model.self, from: data) }
    // Whatever type is asked for, a text is JSON or it isn't.
    claim(any.syntax == model.syntax, "\(any) and \(model)")
    if case .value(let value) = any { checkWriting(value, &choices) }
    any.checkPlace(in: payload)
    model.checkPlace(in: payload)
    guard isCompared, JSONOutcome<Whole>.isComparable(payload) else { return }
    JSONOutcome { try JSONReader(decoder).decode(Whole.self, from: data) }
      .check(beside: JSONOutcome { try decoder.decode(Whole.self, from: data) }, payload)
    model.check(beside: JSONOutcome { try decoder.decode(Model.self, from: data) }, payload)
  }

  /// Claims that what is written is read as the same value, and is written so again.
  private func checkWriting(_ value: JSONValue, _ choices: inout Choices) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = choices.flip() ? [.sortedKeys, .prettyPrinted] : .sortedKeys
    let writer = JSONWriter(encoder, isCanonical: choices.flip())
    // A canonical document can't have every number.
    guard let text = try? writer.encode(value) else {
      return claim(writer.isCanonical, "\(value) can't be written")
    }
    let again = try? JSONReader().decode(JSONValue.self, from: text)
    claim(again == value, "\(value) became \(String(decoding: text, as: UTF8.self))")
    claim((try? writer.encode(again)) == text, "\(value) is written in two ways")
  }

  private func decoder(_ choices: inout Choices) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = choices.flip() ? .convertFromSnakeCase : .useDefaultKeys
    decoder.dateDecodingStrategy = choices.flip() ? .iso8601 : .secondsSince1970
    if choices.flip() {
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    }
    return decoder
  }
}

// MARK: - Types

/// Every value of a document, each read in all the ways that it has.
private indirect enum Whole: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(double: UInt64?, float: UInt32?, integer: Int64?, small: UInt8?, decimal: Decimal?)
  case string(String)
  case array([Whole])
  case object([String: Whole])

  init(from decoder: any Decoder) throws {
    if var array = try? decoder.unkeyedContainer() {
      var elements: [Whole] = []
      while !array.isAtEnd { elements.append(try array.decode(Whole.self)) }
      self = .array(elements)
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let object = try? decoder.container(keyedBy: Name.self), !object.allKeys.isEmpty {
      // A dictionary takes the names as they stand.
      self = .object(try value.decode([String: Whole].self))
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let empty = try? value.decode([String: Int].self) {
      self = .object(empty.mapValues { _ in .null })
    } else {
      let decimal = try? value.decode(Decimal.self)
      // Beyond 2^53 Foundation drops a fraction.
      let isWhole = decimal.map { !"\($0)".contains(".") } ?? true
      self = .number(
        double: (try? value.decode(Double.self))?.bitPattern,
        float: (try? value.decode(Float.self))?.bitPattern,
        integer: isWhole ? try? value.decode(Int64.self) : nil,
        small: try? value.decode(UInt8.self), decimal: decimal)
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// What apps load: names in snake case, dates, optionals, lists in each other.
private struct Model: Decodable, Equatable {
  var items: [Item]?
  var statuses: [Item]?
  var note: String?
  var points: [[Double]]?

  struct Item: Decodable, Equatable {
    var id: Int
    var title: String?
    var createdAt: Date?
    var url: URL?
    var user: User?
    var tags: [String]?
    var scores: [Double]?
    var isActive: Bool?
    var price: Decimal?
    var icon: Data?
    var counts: [Int]?
  }

  struct User: Decodable, Equatable {
    var login: String
    var userId: Int64
    var siteAdmin: Bool?
  }
}
