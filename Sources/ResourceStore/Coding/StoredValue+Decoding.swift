internal import Foundation
internal import ResourceLoading
internal import ResourcePrimitives

extension StoredValue {
  /// Decodes a value of a type; the reverse of `init(encoding:)`.
  func decode<T: Decodable>(_ type: T.Type, _ key: PathKey) throws -> T {
    if let plain = try plain(type, key) { return plain }
    if let optional = type as? any OptionalType.Type {
      guard let value = try optional.decode(self, key) as? T else { throw mismatch(type, key) }
      return value
    }
    if case .text(let text) = self, text.looksLikeJSON {
      do { return try JSONDecoder.columns.decode(type, from: Data(text.utf8)) } catch {
        throw NestedDecodingError(key: key, error: error)
      }
    }
    return try T(from: SingleValueDecoder(value: self, key: key))
  }

  /// The value for a type that is stored in its own way, or `nil` for other types.
  private func plain<T>(_ type: T.Type, _ key: PathKey) throws -> T? {
    if type == Date.self {
      return Date(timeIntervalSinceReferenceDate: try double(key)) as? T
    } else if type == String.self {
      return try string(key) as? T
    } else if type == URL.self {
      return try parsed(type, key) { URL(string: $0) } as? T
    } else if type == Data.self {
      return try data(key) as? T
    } else if type == UUID.self {
      return try parsed(type, key) { UUID(uuidString: $0) } as? T
    } else if type == Decimal.self {
      return try parsed(type, key) { Decimal(columnText: $0) } as? T
    } else if let integers = type as? any FixedWidthInteger.Type, integers.typeWidth <= 64 {
      return try integer(integers, key) as? T
    } else {
      return try number(type, key)
    }
  }

  private func number<T>(_ type: T.Type, _ key: PathKey) throws -> T? {
    if type == Double.self { return try double(key) as? T }
    if type == Float.self { return Float(try double(key)) as? T }
    if type == Bool.self { return (try integer(Int.self, key) != 0) as? T }
    return nil
  }
}

extension StoredValue {
  /// The integer, if it fits.
  func integer<T: FixedWidthInteger>(_ type: T.Type, _ key: PathKey) throws -> T {
    let value: T? =
      switch self {
      case .integer(let integer): T(exactly: integer)
      case .real(let real): T(exactly: real)
      case .blob(let data) where data.count == 8:
        T(exactly: data.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
      default: nil
      }
    guard let value else { throw mismatch(type, key) }
    return value
  }

  func double(_ key: PathKey) throws -> Double {
    switch self {
    case .real(let real): return real
    case .integer(let integer): return Double(integer)
    case .text("nan"): return .nan
    default: throw mismatch(Double.self, key)
    }
  }

  func string(_ key: PathKey, as type: Any.Type = String.self) throws -> String {
    guard case .text(let text) = self else { throw mismatch(type, key) }
    return text
  }

  private func data(_ key: PathKey) throws -> Data {
    guard case .blob(let data) = self else { throw mismatch(Data.self, key) }
    return data
  }

  private func parsed<T>(
    _ type: Any.Type, _ key: PathKey, _ parse: (String) -> T?
  ) throws -> T {
    guard let value = parse(try string(key, as: type)) else { throw mismatch(type, key) }
    return value
  }

  /// The error for a value of another type. It names the column and not the value.
  func mismatch(_ type: Any.Type, _ key: PathKey) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: [key], debugDescription: "the column holds \(kind)")
    return self == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  private var kind: String {
    switch self {
    case .null: "NULL"
    case .integer: "an integer"
    case .real: "a real"
    case .text: "a text"
    case .blob: "a blob"
    }
  }
}

extension Decimal {
  fileprivate init?(columnText text: String) {
    if text == "NaN" {
      self = .nan
    } else if text.isDecimalNumber(withExponent: true),
      let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    {
      self = value
    } else {
      return nil
    }
  }
}

/// `Optional` of any type.
private protocol OptionalType {
  static func decode(_ value: StoredValue, _ key: PathKey) throws -> Self
}

extension Optional: OptionalType where Wrapped: Decodable {
  fileprivate static func decode(_ value: StoredValue, _ key: PathKey) throws -> Self {
    value == .null ? nil : try value.decode(Wrapped.self, key)
  }
}

/// An error in the JSON text of a column.
struct NestedDecodingError: Error {
  let key: PathKey
  let error: any Error
}

/// Offers the value of a column to a type that decodes itself. It converts nothing, because some
/// types try one type after another: an integer isn't a `Bool`, and a text isn't a number.
private struct SingleValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: StoredValue
  let key: PathKey

  var codingPath: [any CodingKey] { [key] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    throw value.mismatch([String: StoredValue].self, key)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw value.mismatch([StoredValue].self, key)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value == .null }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // `true` and `false` are stored as JSON here, which was decoded before.
    if type == Bool.self { throw value.mismatch(type, key) }
    return try value.decode(type, key)
  }
}

extension JSONDecoder {
  /// Decodes the output of `JSONWriter.columns`.
  fileprivate static let columns: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }()
}
