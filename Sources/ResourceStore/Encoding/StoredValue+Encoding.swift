internal import Foundation

extension StoredValue {
  /// The value as a column keeps it: plain types as they are, others as JSON.
  ///
  /// - Throws: What the value's `encode(to:)` and `JSONEncoder` throw.
  init<T: Encodable>(encoding value: T) throws {
    if let plain = StoredValue(plain: value) {
      self = plain
    } else if let optional = value as? any OptionalValue {
      self = try optional.stored()
    } else {
      self = try StoredValue(composed: value)
    }
  }

  /// A value of a type that has a form of its own in a column, or `nil`.
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
      self = .integer(bool ? 1 : 0)
    } else {
      return nil
    }
  }
}

extension StoredValue {
  /// A date in seconds since 2001, which is what it is made of: other forms would lose parts of it.
  init(_ date: Date) { self.init(date.timeIntervalSinceReferenceDate) }

  /// SQLite takes NaN for NULL, so NaN becomes a word. A column declared as `REAL` doesn't keep the sign of zero, so
  /// none does.
  init(_ number: Double) {
    self = number.isNaN ? .text("nan") : .real(number == 0 ? 0 : number)
  }

  /// SQLite's integers have 63 bits and a sign. What is above becomes eight bytes, the highest first, which
  /// SQLite sorts behind every number and among themselves by value.
  init(_ integer: some FixedWidthInteger) {
    if let value = Int64(exactly: integer) {
      self = .integer(value)
    } else {
      self = .blob(withUnsafeBytes(of: UInt64(truncatingIfNeeded: integer).bigEndian) { Data($0) })
    }
  }
}

/// `Optional`, whatever is in it.
private protocol OptionalValue {
  func stored() throws -> StoredValue
}

extension Optional: OptionalValue where Wrapped: Encodable {
  fileprivate func stored() throws -> StoredValue {
    try map { try StoredValue(encoding: $0) } ?? .null
  }
}
