public import Foundation

/// A number of JSON that keeps its text, so that no digit is lost until somebody asks for a type.
///
/// ```swift
/// let text = Data("12345678901234567890.50".utf8)
/// let number = try JSONReader().decode(JSONNumber.self, from: text)
/// print(number)  // 12345678901234567890.50
/// print(number.double)  // 1.2345678901234567e+19
/// ```
///
/// ``JSONReader`` reads the text as it is, and ``JSONWriter`` writes it as it was read, unless the
/// writer is canonical. Other decoders and encoders get the number as one of the types below.
///
/// Two are equal if they are the same number, however it is written: `1`, `1.0` and `10e-1` are.
public struct JSONNumber: Sendable {
  /// The text, which follows the grammar of RFC 8259.
  private let text: String

  /// Creates a number from its text in JSON; `nil` if it isn't one by the grammar of RFC 8259,
  /// section 6.
  public init?(_ description: String) {
    guard Self.isNumber(Array(description.utf8)) else { return nil }
    text = description
  }

  /// - Parameter text: A text that is known to follow the grammar.
  init(unchecked text: String) { self.text = text }

  /// Creates a number from an integer.
  public init(_ number: some FixedWidthInteger) { text = String(number) }

  /// Creates a number from a `Double`, in the shortest form that is read back as the same one;
  /// `nil` for one that isn't finite.
  public init?(_ number: Double) {
    guard number.isFinite else { return nil }
    let description = number.description
    text = description.hasSuffix(".0") ? String(description.dropLast(2)) : description
  }

  /// Creates a number from a `Decimal`; `nil` for one that isn't a number.
  public init?(_ number: Decimal) {
    guard !number.isNaN else { return nil }
    text = number.description
  }
}

extension JSONNumber: LosslessStringConvertible {
  /// The text of the number as it was read.
  public var description: String { text }
}

extension JSONNumber {
  /// Returns the number as an integer; `nil` if it isn't whole, or doesn't fit.
  public func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    if let number = Number(text) { return number }
    let value = normalised
    // No type that is in use has more digits.
    guard value.exponent >= 0, value.digits.count + value.exponent <= 1_000 else { return nil }
    let zeros = String(repeating: "0", count: value.digits.isEmpty ? 0 : value.exponent)
    return Number(
      (value.isNegative ? "-" : "") + (value.digits.isEmpty ? "0" : value.digits) + zeros)
  }

  /// The nearest `Double`; infinite for a number that is too large.
  public var double: Double { Double(text) ?? .nan }

  /// The number as a `Decimal`, which has 38 digits; `nil` if it is too large.
  public var decimal: Decimal? { Decimal(string: text) }
}

extension JSONNumber: Hashable {
  public static func == (one: Self, other: Self) -> Bool {
    one.text == other.text || one.normalised == other.normalised
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(normalised) }

  /// A number as digits, of which neither the first nor the last is zero, times a power of ten.
  private struct Normalised: Hashable {
    var isNegative = false
    var digits = ""
    var exponent = 0
  }

  private var normalised: Normalised {
    let isNegative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" }.split { $0 == "e" || $0 == "E" }
    let halves = parts[0].split(separator: ".")
    let fraction = halves.count > 1 ? halves[1] : ""
    let digits = (halves[0] + fraction).drop { $0 == "0" }
    let zeros = digits.reversed().prefix { $0 == "0" }.count
    guard !digits.isEmpty else { return Normalised() }
    // The largest exponents are equal: nobody can count their digits. Half of `Int`, so that no sum
    // of them overflows.
    let limit = Int.max / 2
    let written = parts.count > 1 ? Int(parts[1]) ?? (parts[1].hasPrefix("-") ? .min : .max) : 0
    return Normalised(
      isNegative: isNegative, digits: String(digits.dropLast(zeros)),
      exponent: max(-limit, min(written, limit)) - fraction.count + zeros)
  }

  /// Returns whether a text is a number by the grammar.
  private static func isNumber(_ text: [UInt8]) -> Bool {
    var rest = text[...]
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let whole = rest.prefix(while: \.isDigit)
    guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return false }
    rest = rest.dropFirst(whole.count)
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: \.isDigit)
      guard !fraction.isEmpty else { return false }
      rest = rest.dropFirst(1 + fraction.count)
    }
    guard rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") else {
      return rest.isEmpty
    }
    rest.removeFirst()
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    return !rest.isEmpty && rest.allSatisfy(\.isDigit)
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { 0x30...0x39 ~= self }
}

extension JSONNumber: Codable {
  /// Decodes a number.
  ///
  /// - Throws: `DecodingError` for what isn't a number.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? JSONValueDecoder, let text = decoder.numberText {
      self.init(unchecked: text)
      return
    }
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      self.init(number)
    } else if let number = try? container.decode(UInt64.self) {
      self.init(number)
    } else {
      let double = try container.decode(Double.self)
      // A `Decimal` has more digits, but a smaller range, whose end isn't always an error.
      let exact = (try? container.decode(Decimal.self)).flatMap { Self($0) }
      guard let number = exact.flatMap({ $0.double == double ? $0 : nil }) ?? Self(double) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "the number isn't finite")
      }
      self = number
    }
  }

  /// Encodes the number: as its text for ``JSONWriter``, and otherwise as an integer if it is
  /// whole, as a `Decimal` if that has all of its digits, or else as a `Double`.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? JSONValueEncoder { return try encoder.encode(self) }
    var container = encoder.singleValueContainer()
    if let number = integer(Int64.self) {
      try container.encode(number)
    } else if let number = integer(UInt64.self) {
      try container.encode(number)
    } else if let decimal, JSONNumber(decimal) == self {
      try container.encode(decimal)
    } else {
      try container.encode(double)
    }
  }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// A whole number.
  public init(integerLiteral value: Int64) { self.init(value) }

  /// A number, as the nearest `Double` is written.
  public init(floatLiteral value: Double) {
    guard let number = Self(value) else { preconditionFailure("a literal isn't finite") }
    self = number
  }
}

extension JSONValueDecoder {
  /// The text of a number; `nil` for any other value.
  fileprivate var numberText: String? {
    let value = document[word]
    guard value.isNumber else { return nil }
    return document.text.string(at: value.offset, value.length, isASCII: true)
  }
}

extension JSONValueEncoder {
  fileprivate func encode(_ number: JSONNumber) throws {
    guard output.settings.isCanonical else {
      return writeSingle { $0.append(ascii: number.description) }
    }
    let double = number.double
    guard double.isFinite, JSONNumber(double) == number else { throw unable(number, for: nil) }
    writeSingle { $0.append(canonical: double) }
  }
}
