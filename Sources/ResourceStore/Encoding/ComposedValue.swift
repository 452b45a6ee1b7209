internal import Foundation

extension StoredValue {
  /// The value of a type that says itself how it is encoded: an enum by its raw value, say, or a struct.
  ///
  /// What is one number or one text is kept as such. Everything else is kept as JSON, and so is what
  /// would be taken for something else on the way back: `Bool`, and a text that looks like JSON.
  ///
  /// - Throws: What the value's `encode(to:)` and `JSONEncoder` throw.
  init<T: Encodable>(composed value: T) throws {
    let encoder = SingleValueEncoder()
    do {
      try value.encode(to: encoder)
    } catch is SingleValueEncoder.NotSingle {
      // An array or a structure; what it has is JSON's business.
    }
    switch encoder.value {
    case .text(let text) where text.looksLikeJSON: self = .text(try Self.json(value))
    case let single?: self = single
    case nil: self = .text(try Self.json(value))
    }
  }

  private static func json<T: Encodable>(_ value: T) throws -> String {
    String(decoding: try JSONEncoder.columns.encode(value), as: UTF8.self)
  }
}

extension String {
  /// Whether a text in a column is JSON rather than itself.
  var looksLikeJSON: Bool {
    switch utf8.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): true
    default: self == "true" || self == "false"
    }
  }
}

extension JSONEncoder {
  /// For values inside a column: the same value gives the same text, so that it can be compared.
  static let columns: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }()
}

extension JSONDecoder {
  /// Reads what `JSONEncoder.columns` writes.
  static let columns: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }()
}
