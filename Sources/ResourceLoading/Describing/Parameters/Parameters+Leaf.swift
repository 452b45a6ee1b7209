import Foundation

extension Parameters.Leaf {
  /// The leaf that a value is, or `nil` for a value that encodes itself.
  ///
  /// - Throws: `EncodingError` for a number or a date that can't be written.
  init?(_ value: any Encodable, at path: [any CodingKey]) throws {
    switch value {
    case let value as String: self = .text(value)
    case let value as Bool: self = .bool(value)
    case let value as any BinaryInteger:
      guard let leaf = Self.integer(value) else { return nil }
      self = leaf
    case let value as Double: self = try .decimal(Self.checked(value, value.isFinite, path))
    case let value as Float: self = try .decimal(Self.checked(value, value.isFinite, path))
    case let value as Decimal: self = try .decimal(Self.checked(value, !value.isNaN, path))
    case let value as URL: self = .text(value.absoluteString)
    case let value as Data: self = .data(value)
    case let value as Date:
      self = .date(value)
      _ = try Self.checked(value, Parameters.Style.writes(value), path)
    default: return nil
    }
  }

  private static func integer(_ value: some BinaryInteger) -> Self? {
    Int64(exactly: value).map(Self.integer) ?? UInt64(exactly: value).map(Self.unsigned)
  }

  private static func checked(
    _ value: some Encodable & CustomStringConvertible, _ isValid: Bool, _ path: [any CodingKey]
  ) throws -> String {
    guard isValid else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: path, debugDescription: "There is no text for \(value) as a parameter."))
    }
    return value.description
  }
}
