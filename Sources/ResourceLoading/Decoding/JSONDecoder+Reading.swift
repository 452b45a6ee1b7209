import Foundation
import ResourceJSON

extension JSONDecoder {
  /// Decodes the value at a path, where the stack is large enough for it.
  ///
  /// - Throws: `DecodingError`; what the type throws.
  func read<R: Decodable & Sendable>(
    _ type: R.Type, from body: Data, at keys: [PathKey] = []
  ) throws -> R {
    try LowPriorityThread.run(reading: 0, isDeep: NestingDepth.isDeep(json: body)) {
      let reader = JSONReader(self)
      guard !keys.isEmpty else { return try reader.decode(type, from: body) }
      return try reader.decode(Envelope<R>.self, from: body, configuration: keys).value
    }
  }
}
