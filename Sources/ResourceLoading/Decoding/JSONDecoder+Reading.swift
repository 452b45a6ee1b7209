import Foundation
import ResourceJSON
import ResourcePrimitives

extension JSONDecoder {
  /// Decodes the value at a path, on a thread that suits the size and the depth of the document.
  func read<R: Decodable & Sendable>(
    _ type: R.Type, from body: Data, at keys: [PathKey] = []
  ) throws -> R {
    try LowPriorityThread.run(reading: body.count, isDeep: NestingDepth.isDeep(json: body)) {
      let reader = JSONReader(self)
      guard !keys.isEmpty else { return try reader.decode(type, from: body) }
      return try reader.decode(Envelope<R>.self, from: body, configuration: keys).value
    }
  }
}

/// Decodes a value from within a document.
private struct Envelope<Value: Decodable>: DecodableWithConfiguration {
  let value: Value

  init(from decoder: any Decoder, configuration keys: [PathKey]) throws {
    value = try Self.value(at: keys[...], in: decoder)
  }

  private static func value(
    at keys: ArraySlice<PathKey>, in decoder: any Decoder
  ) throws -> Value {
    guard let key = keys.first else { return try Value(from: decoder) }
    let rest = keys.dropFirst()
    if let index = key.intValue, var list = try? decoder.unkeyedContainer() {
      while list.currentIndex < index, !list.isAtEnd { _ = try list.superDecoder() }
      guard !list.isAtEnd else {
        let context = DecodingError.Context(
          codingPath: list.codingPath, debugDescription: "The array has no element \(index).")
        throw DecodingError.keyNotFound(key, context)
      }
      return rest.isEmpty
        ? try list.decode(Value.self) : try value(at: rest, in: list.superDecoder())
    }
    let object = try decoder.container(keyedBy: PathKey.self)
    guard rest.isEmpty else { return try value(at: rest, in: object.child(key)) }
    return try object.decode(Value.self, forKey: key)
  }
}

extension KeyedDecodingContainer where Key == PathKey {
  /// Returns the decoder of a member; unlike `superDecoder` it fails if there is none.
  fileprivate func child(_ key: PathKey) throws -> any Decoder {
    guard contains(key) else {
      let context = DecodingError.Context(
        codingPath: codingPath, debugDescription: "No value associated with key \(key.stringValue)."
      )
      throw DecodingError.keyNotFound(key, context)
    }
    return try superDecoder(forKey: key)
  }
}
