public import Foundation

/// Encodes values as JSON text as a `JSONEncoder` does, several times as fast.
///
/// ```swift
/// let writer = JSONWriter(encoder)
/// let data = try writer.encode(issues)
/// ```
///
/// The strategies, the `userInfo` and the output formatting of the encoder are honoured. The text
/// is the same byte for byte, and errors are the same; what differs is listed in
/// <doc:WritingJSON>. A subclass of `JSONEncoder` encodes itself.
///
/// A writer can be used on several threads at once. Don't change its encoder meanwhile.
public struct JSONWriter: Sendable {
  /// The encoder with the settings.
  public let encoder: JSONEncoder
  /// Whether the text is canonical, as RFC 8785 defines it. The output formatting of the encoder
  /// doesn't count then, and its other settings do.
  public let isCanonical: Bool

  /// Creates a writer with the settings of an encoder, which are read for each value.
  ///
  /// - Parameters:
  ///   - encoder: The encoder with the settings.
  ///   - isCanonical: Whether to write canonical JSON (RFC 8785), in which equal values have equal
  ///     bytes, as signatures and keys need them. Numbers are those of `Double` then: an integer or
  ///     a `Decimal` that isn't exactly one of them is an error.
  public init(_ encoder: JSONEncoder = JSONEncoder(), isCanonical: Bool = false) {
    self.encoder = encoder
    self.isCanonical = isCanonical
  }
}

extension JSONWriter {
  /// Encodes a value.
  ///
  /// - Parameter value: The value. It may be of any type, also a number or a text.
  /// - Returns: JSON text in UTF-8.
  /// - Throws: `EncodingError` for a value that JSON can't express, for values that nest more than
  ///   511 deep, and for one that encodes nothing; and any other error that the value throws.
  public func encode<Value: Encodable>(_ value: Value) throws -> Data {
    guard !isLeftToEncoder else { return try encoder.encode(value) }
    return try writing(value) { try $0.encode(itself: value) }
  }

  /// Encodes a value of a type that needs a configuration.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - configuration: The configuration of the type.
  /// - Returns: JSON text in UTF-8.
  /// - Throws: As ``encode(_:)``.
  public func encode<Value: EncodableWithConfiguration>(
    _ value: Value, configuration: Value.EncodingConfiguration
  ) throws -> Data {
    guard !isLeftToEncoder else {
      return try encoder.encode(value, configuration: configuration)
    }
    return try writing(value) { try value.encode(to: $0, configuration: configuration) }
  }

  private var isLeftToEncoder: Bool { type(of: encoder) != JSONEncoder.self && !isCanonical }

  private func writing<Value>(
    _ value: Value, _ body: (JSONValueEncoder) throws -> Void
  ) throws -> Data {
    let output = JSONOutput(JSONWriterSettings(encoder, isCanonical: isCanonical))
    let root = JSONValueEncoder(output)
    defer { root.abandon() }
    do {
      try body(root)
    } catch is JSONDepthError {
      throw tooDeep(value)
    }
    guard root.finish() else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: [], debugDescription: "Top-level \(Value.self) did not encode any values."))
    }
    // A container that can't throw may have been the one too many.
    guard !output.isTooDeep else { throw tooDeep(value) }
    return output.text.data
  }

  private func tooDeep(_ value: Any) -> EncodingError {
    EncodingError.invalidValue(
      value,
      EncodingError.Context(
        codingPath: [],
        debugDescription: "Unable to encode the given top-level value to JSON.",
        underlyingError: JSONDepthError()))
  }
}

#if canImport(Combine)
  public import Combine

  extension JSONWriter: TopLevelEncoder {}
#endif
