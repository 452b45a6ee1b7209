internal import Foundation
internal import ResourcePrimitives

// An empty element is there, and so is a structure that it is decoded into: `<collection/>` says
// something. A scalar has to be read from a text, and without one it is `nil`.
extension DecodingSession {
  /// Decodes an optional value from an element without content.
  ///
  /// - Returns: `nil` if the type is a scalar, which is a type that reads the text of the element.
  func decodeBlank<T: Decodable>(_ type: T.Type, at level: Level) throws -> T? {
    guard isBlankElement(level), !isScalar(type) else { return nil }
    blank = nil
    do {
      return try decode(type, at: level)
    } catch  where blank == BlankValue(level) {
      return nil
    }
  }

  /// Whether a value is an element without content. One with `xsi:nil` is no value.
  func isBlankElement(_ level: Level) -> Bool {
    (level.mode == .group || level.mode == .item) && nodes[level.node].isElement
      && isNothing(level.node) && !isNil(level.node)
  }

  /// Whether values of a type are read from text, as far as that can be known from the type alone.
  private func isScalar<T>(_ type: T.Type) -> Bool {
    type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
      || type == Bool.self || type is any UntypedValue.Type || type is any BinaryInteger.Type
      || type is any BinaryFloatingPoint.Type
  }
}

/// An optional value, whose type is asked only where its element is empty.
protocol DecodableOptional {
  static func decodeBlank(in session: DecodingSession, _ level: Level) throws -> Self
}

extension Optional: DecodableOptional where Wrapped: Decodable {
  static func decodeBlank(in session: DecodingSession, _ level: Level) throws -> Wrapped? {
    if Wrapped.self == String.self { return nil }
    return try session.decodeBlank(Wrapped.self, at: level.deeper)
  }
}
