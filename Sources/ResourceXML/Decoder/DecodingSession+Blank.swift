internal import Foundation
internal import ResourcePrimitives

// An empty element isn't missing, so a structure is decoded from it: `<collection/>` has a meaning.
// A scalar has to be read from text, so it is `nil` without any.
extension DecodingSession {
  /// Decodes an optional value from an element without content; `nil` if the type is a scalar, that
  /// is, one that reads the element's text.
  func decodeBlank<T: Decodable>(_ type: T.Type, at level: Level) throws -> T? {
    guard isBlankElement(level), !isScalar(type) else { return nil }
    blank = nil
    do {
      return try decode(type, at: level)
    } catch  where blank == BlankValue(level) {
      return nil
    }
  }

  /// Whether a value is an element without content. An element with `xsi:nil` isn't a value.
  func isBlankElement(_ level: Level) -> Bool {
    (level.mode == .group || level.mode == .item) && nodes[level.node].isElement
      && isNothing(level.node) && !isNil(level.node)
  }

  /// Whether values of a type are read from text, as far as the type alone shows it.
  private func isScalar<T>(_ type: T.Type) -> Bool {
    type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
      || type == Bool.self || type is any UntypedValue.Type || type is any BinaryInteger.Type
      || type is any BinaryFloatingPoint.Type
  }
}

/// An optional type. The conformance is needed only for empty elements.
protocol DecodableOptional {
  static func decodeBlank(in session: DecodingSession, _ level: Level) throws -> Self
}

extension Optional: DecodableOptional where Wrapped: Decodable {
  static func decodeBlank(in session: DecodingSession, _ level: Level) throws -> Wrapped? {
    if Wrapped.self == String.self { return nil }
    return try session.decodeBlank(Wrapped.self, at: level.deeper)
  }
}
