import Foundation

/// What is read with our own reader, because Foundation's decoder can't do it in linear time.
protocol JSONReadable {
  /// - Throws: `DecodingError` if it isn't there.
  init(_ json: JSONValue, at keys: [EnvelopeKey]) throws
}

extension JSONDecoder {
  /// Decodes the value at a path.
  ///
  /// - Throws: `DecodingError`; what the type throws.
  func read<R: Decodable>(_ type: R.Type, from body: Data, at keys: [EnvelopeKey] = []) throws -> R
  {
    if !allowsJSON5, let type = type as? any JSONReadable.Type,
      let value = try type.init(.decoding(body), at: keys) as? R
    {
      return value
    }
    guard !keys.isEmpty else { return try decode(type, from: body) }
    return try decode(Envelope<R>.self, from: body, configuration: keys).value
  }
}

extension JSONValue: JSONReadable {
  init(_ json: JSONValue, at keys: [EnvelopeKey]) throws {
    self = json
    for (position, key) in keys.enumerated() {
      guard let next = self[key] else {
        let context = DecodingError.Context(
          codingPath: Array(keys[..<position]),
          debugDescription: "No value associated with key \(key.stringValue).")
        throw DecodingError.keyNotFound(key, context)
      }
      self = next
    }
  }

  private subscript(key: EnvelopeKey) -> JSONValue? {
    if case .array = self { key.intValue.flatMap { self[$0] } } else { self[key.stringValue] }
  }

  /// Reads JSON text as a decoder does.
  ///
  /// - Throws: `DecodingError` whose underlying error is the ``JSONMistake``.
  static func decoding(_ text: Data) throws(DecodingError) -> JSONValue {
    do throws(JSONMistake) {
      return try JSONReader.value(text)
    } catch {
      throw .dataCorrupted(error)
    }
  }
}

extension DecodingError {
  /// The error for text that isn't JSON.
  static func dataCorrupted(_ mistake: JSONMistake) -> DecodingError {
    .dataCorrupted(
      Context(codingPath: [], debugDescription: mistake.reason, underlyingError: mistake))
  }
}
