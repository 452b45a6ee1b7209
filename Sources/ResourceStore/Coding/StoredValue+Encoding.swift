package import Foundation
import ResourceJSON
import ResourcePrimitives

extension StoredValue {
  /// Encodes a value for a column: simple types as they are, others as JSON.
  package init<T: Encodable>(encoding value: T) throws {
    if let plain = StoredValue(plain: value) {
      self = plain
    } else if let optional = value as? any OptionalValue {
      self = try optional.stored()
    } else {
      self = try StoredValue(composed: value)
    }
  }

  /// Encodes a value of a type that is stored in its own way; `nil` for other types.
  private init?<T>(plain value: T) {
    if T.self == String.self, let text = value as? String {
      self = .text(text)
    } else if T.self == Date.self, let date = value as? Date {
      self = StoredValue(date)
    } else if T.self == URL.self, let url = value as? URL {
      self = .text(url.absoluteString)
    } else if T.self == Data.self, let data = value as? Data {
      self = .blob(data)
    } else if T.self == UUID.self, let uuid = value as? UUID {
      self = .text(uuid.uuidString)
    } else if T.self == Decimal.self, let decimal = value as? Decimal {
      self = .text(decimal.description)
    } else if let integer = value as? any FixedWidthInteger, integer.bitWidth <= 64 {
      self = StoredValue(integer)
    } else if let number = StoredValue(number: value) {
      self = number
    } else {
      return nil
    }
  }

  private init?<T>(number value: T) {
    if T.self == Double.self, let double = value as? Double {
      self = StoredValue(double)
    } else if T.self == Float.self, let float = value as? Float {
      self = StoredValue(Double(float))
    } else if T.self == Bool.self, let bool = value as? Bool {
      self = .bool(bool)
    } else {
      return nil
    }
  }
}

extension StoredValue {
  /// Encodes a date as seconds since 2001, its internal form: every other form would round it.
  package init(_ date: Date) { self.init(date.timeIntervalSinceReferenceDate) }

  /// Encodes a number. SQLite stores NaN as NULL, so NaN becomes a text. A column declared as
  /// `REAL` drops the sign of zero, so all columns do.
  init(_ number: Double) {
    self = number.isNaN ? .text("nan") : .real(number == 0 ? 0 : number)
  }

  /// Encodes an integer. One above `Int64.max` becomes a blob of eight bytes, the highest first;
  /// SQLite sorts blobs after all numbers, and these by value.
  init(_ integer: some FixedWidthInteger) {
    if let value = Int64(exactly: integer) {
      self = .integer(value)
    } else {
      self = .blob(Data(UInt64(truncatingIfNeeded: integer).bigEndianBytes))
    }
  }
}

/// `Optional` of any type.
private protocol OptionalValue {
  func stored() throws -> StoredValue
}

extension Optional: OptionalValue where Wrapped: Encodable {
  fileprivate func stored() throws -> StoredValue {
    try map { try StoredValue(encoding: $0) } ?? .null
  }
}

extension StoredValue {
  /// Encodes a value of a type that encodes itself, such as an enum by its raw value, or a struct.
  ///
  /// A single number or text is stored as such, everything else as JSON. So are `Bool` and texts
  /// that look like JSON, which would be decoded as something else.
  fileprivate init<T: Encodable>(composed value: T) throws {
    let encoder = SingleValueEncoder()
    do {
      try value.encode(to: encoder)
    } catch is SingleValueEncoder.NotSingle {}
    switch encoder.value {
    case .text(let text) where text.looksLikeJSON: self = .text(try Self.json(value))
    case let single?: self = single
    case nil: self = .text(try Self.json(value))
    }
  }

  private static func json<T: Encodable>(_ value: T) throws -> String {
    String(decoding: try JSONWriter.columns.encode(value), as: UTF8.self)
  }
}

extension String {
  var looksLikeJSON: Bool {
    switch utf8.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): true
    default: self == "true" || self == "false"
    }
  }
}

extension JSONWriter {
  /// Encodes values for columns: equal values become equal texts, so that they can be compared.
  fileprivate static let columns: JSONWriter = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return JSONWriter(encoder)
  }()
}

/// Finds out whether a value encodes itself as a single simple value.
private final class SingleValueEncoder: Encoder, SingleValueEncodingContainer {
  /// The value; `nil` for `Bool` and for everything that isn't a single simple value.
  private(set) var value: StoredValue?

  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Ends the encoding of a value that isn't single.
  struct NotSingle: Error {}

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    value = nil
    return KeyedEncodingContainer(ThrowingKeyedContainer<Key>(error: NotSingle()))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    value = nil
    return ThrowingEncoder(error: NotSingle())
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { value = .null }

  func encode<T: Encodable>(_ value: T) throws {
    self.value = T.self == Bool.self ? nil : try StoredValue(encoding: value)
  }
}
