import Foundation
import ResourceJSON

extension JSONDecoder {
  /// Decodes the value at a path.
  ///
  /// - Throws: `DecodingError`, and what the type throws.
  func read<R: Decodable>(_ type: R.Type, from body: Data, at keys: [EnvelopeKey] = []) throws -> R
  {
    let reader = JSONReader(self)
    guard !keys.isEmpty else { return try reader.decode(type, from: body) }
    return try reader.decode(Envelope<R>.self, from: body, configuration: keys).value
  }
}
