import Foundation
import ResourceJSON
import ResourceLoading

/// Documents for `JSONReader`, a share of them beside `JSONDecoder`, which must come to the same.
struct JSONFuzzer: Fuzzer {
  // An error names the way to its value, which may be 512 steps long.
  let bounds = Bounds(
    time: (constant: 50_000_000, perByte: 200_000), memory: (constant: 4 << 20, perByte: 400))

  /// One document in so many is sent to Foundation as well, unless it is longer than this: some of its ways take the
  /// square.
  private static let compared = (one: 16, length: 4 << 10)

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    let isCompared =
      choices.pick(Self.compared.one) == 0 && payload.count <= Self.compared.length
    let decoder = decoder(&choices)
    let data = Data(payload)

    let any = Outcome { try JSONReader(decoder).decode(JSONValue.self, from: data) }
    let model = Outcome { try JSONReader(decoder).decode(Model.self, from: data) }
    check(any, model, payload)
    guard isCompared, isComparable(payload) else { return }
    compare(
      Outcome { try JSONReader(decoder).decode(Whole.self, from: data) },
      Outcome { try decoder.decode(Whole.self, from: data) }, data)
    compare(model, Outcome { try decoder.decode(Model.self, from: data) }, data)
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

// MARK: - Claims

extension JSONFuzzer {
  /// Whatever type is asked for, a text is JSON or it isn't; and each error has a place in the text.
  private func check<One, Other>(
    _ any: Outcome<One>, _ model: Outcome<Other>, _ payload: [UInt8]
  ) {
    claim(any.syntax == model.syntax, "\(any) and \(model)")
    for error in [any.error, model.error].compactMap(\.self) {
      guard let place = JSONPlace(of: error) else { return claim(false, "no place: \(error)") }
      claim(place.offset <= payload.count, "a place behind the end: \(place)")
      claim(place.line > 0 && place.column > 0, "no place: \(place)")
      claim(place.line <= payload.count { $0 == 0x0A } + 1, "a line behind the last: \(place)")
    }
  }

  private func compare<Value: Equatable>(
    _ ours: Outcome<Value>, _ foundation: Outcome<Value>, _ data: Data
  ) {
    switch (ours, foundation) {
    case (.value(let ours), .value(let foundation)):
      claim(ours == foundation, "\(ours) instead of \(foundation)")
    case (.failure(let error), .value(let foundation)):
      claim(isKnown(error, data), "\(error) instead of \(foundation)")
    case (.value(let ours), .failure(let error)):
      claim(false, "\(ours) instead of \(error)")
    case (.failure(let ours), .failure(let foundation)):
      // What isn't JSON may be found late by Foundation, behind a value of the wrong type.
      guard JSONSyntaxError(under: ours) == nil else { return }
      claim(ours.kind == foundation.kind, "\(ours) instead of \(foundation)")
    }
  }

  /// Whether an error is one of those that `JSONDecoder` lets pass: a comma behind the last value, or a mistake in what no
  /// type asks for, which `JSONSerialization` finds.
  private func isKnown(_ error: any Error, _ data: Data) -> Bool {
    guard let syntax = JSONSyntaxError(under: error) else { return false }
    if syntax.reason.hasPrefix("a comma has no") { return true }
    return (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) == nil
  }

  /// Whether a document has nothing of which is known that Foundation takes it otherwise: zeros with an exponent; UTF-16
  /// and UTF-32, whose marks it judges in another way.
  private func isComparable(_ payload: [UInt8]) -> Bool {
    guard let first = payload.first, first < 0xFE, !payload.prefix(4).contains(0) else {
      return false
    }
    return !payload.indices.contains { isZeroExponent(at: $0, payload) }
  }

  private func isZeroExponent(at index: Int, _ payload: [UInt8]) -> Bool {
    guard payload[index] | 0x20 == UInt8(ascii: "e"), index > 0 else { return false }
    let digits = payload[..<index].reversed()
    guard digits.first == UInt8(ascii: "0") else { return false }
    let before = digits.drop { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }.first
    return !(before.map { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) } ?? false)
  }
}

/// What decoding came to.
private enum Outcome<Value> {
  case value(Value)
  case failure(any Error)

  init(_ body: () throws -> Value) {
    do { self = .value(try body()) } catch { self = .failure(error) }
  }

  var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }

  var syntax: JSONSyntaxError? { error.flatMap { JSONSyntaxError(under: $0) } }
}

extension JSONSyntaxError {
  fileprivate init?(under error: any Error) {
    guard case .dataCorrupted(let context)? = error as? DecodingError,
      let syntax = context.underlyingError as? JSONSyntaxError
    else { return nil }
    self = syntax
  }
}

extension Error {
  /// The case of the error, and the type of which it speaks.
  fileprivate var kind: String {
    switch self as? DecodingError {
    case .typeMismatch(let type, _): "typeMismatch \(type)"
    case .valueNotFound(let type, _): "valueNotFound \(type)"
    case .keyNotFound(let key, _): "keyNotFound \(key.stringValue)"
    case .dataCorrupted: "dataCorrupted"
    default: "other"
    }
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
