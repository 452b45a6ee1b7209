internal import Foundation

extension StoredValue {
  /// Makes a value out of what a column holds; the reverse of `init(encoding:)`.
  ///
  /// - Throws: `DecodingError` where it isn't one, and what the type's `init(from:)` throws.
  func decode<T: Decodable>(_ type: T.Type, _ key: ColumnKey) throws -> T {
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

  /// A value of a type that has a form of its own in a column, or `nil` for other types.
  private func plain<T>(_ type: T.Type, _ key: ColumnKey) throws -> T? {
    if type == Date.self {
      return Date(timeIntervalSinceReferenceDate: try double(key)) as? T
    } else if type == String.self {
      return try string(type, key) as? T
    } else if type == URL.self {
      return try parsed(type, key) { URL(string: $0) } as? T
    } else if type == Data.self {
      return try data(key) as? T
    } else if type == UUID.self {
      return try parsed(type, key) { UUID(uuidString: $0) } as? T
    } else if type == Decimal.self {
      return try parsed(type, key) { Decimal(columnText: $0) } as? T
    } else if let integers = type as? any FixedWidthInteger.Type, integers.bitWidthOfAll <= 64 {
      return try integer(integers, key) as? T
    } else {
      return try number(type, key)
    }
  }

  private func number<T>(_ type: T.Type, _ key: ColumnKey) throws -> T? {
    if type == Double.self { return try double(key) as? T }
    if type == Float.self { return Float(try double(key)) as? T }
    if type == Bool.self { return (try integer(Int.self, key) != 0) as? T }
    return nil
  }
}

extension StoredValue {
  /// A whole number that fits.
  func integer<T: FixedWidthInteger>(_ type: T.Type, _ key: ColumnKey) throws -> T {
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

  func double(_ key: ColumnKey) throws -> Double {
    switch self {
    case .real(let real): return real
    case .integer(let integer): return Double(integer)
    case .text("nan"): return .nan
    default: throw mismatch(Double.self, key)
    }
  }

  private func string(_ type: Any.Type, _ key: ColumnKey) throws -> String {
    guard case .text(let text) = self else { throw mismatch(type, key) }
    return text
  }

  private func data(_ key: ColumnKey) throws -> Data {
    guard case .blob(let data) = self else { throw mismatch(Data.self, key) }
    return data
  }

  private func parsed<T>(
    _ type: Any.Type, _ key: ColumnKey, _ parse: (String) -> T?
  ) throws -> T {
    guard let value = parse(try string(type, key)) else { throw mismatch(type, key) }
    return value
  }

  /// The error for a value of another type, which names the column but not the value.
  func mismatch(_ type: Any.Type, _ key: ColumnKey) -> DecodingError {
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

extension FixedWidthInteger {
  fileprivate static var bitWidthOfAll: Int { bitWidth }
}

extension Decimal {
  fileprivate init?(columnText text: String) {
    if text == "NaN" {
      self = .nan
    } else if let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) {
      self = value
    } else {
      return nil
    }
  }
}

/// `Optional`, whatever is in it.
private protocol OptionalType {
  static func decode(_ value: StoredValue, _ key: ColumnKey) throws -> Self
}

extension Optional: OptionalType where Wrapped: Decodable {
  fileprivate static func decode(_ value: StoredValue, _ key: ColumnKey) throws -> Self {
    value == .null ? nil : try value.decode(Wrapped.self, key)
  }
}
