internal import Foundation

/// The settings of a `JSONEncoder`.
final class JSONWriterSettings {
  let dates: JSONEncoder.DateEncodingStrategy
  let data: JSONEncoder.DataEncodingStrategy
  let keys: JSONEncoder.KeyEncodingStrategy
  let floats: JSONEncoder.NonConformingFloatEncodingStrategy
  let userInfo: [CodingUserInfoKey: Any]
  let naming: Naming
  let isPretty: Bool
  let isSorted: Bool
  let escapesSlashes: Bool
  let isCanonical: Bool

  /// The kind of the key strategy, which is copied without reference counting.
  enum Naming { case plain, snakeCase, custom }

  init(_ encoder: JSONEncoder, isCanonical: Bool) {
    dates = encoder.dateEncodingStrategy
    data = encoder.dataEncodingStrategy
    keys = encoder.keyEncodingStrategy
    floats = encoder.nonConformingFloatEncodingStrategy
    userInfo = encoder.userInfo
    naming =
      switch keys {
      case .useDefaultKeys: .plain
      case .convertToSnakeCase: .snakeCase
      default: .custom
      }
    let formatting = encoder.outputFormatting
    isPretty = formatting.contains(.prettyPrinted) && !isCanonical
    isSorted = formatting.contains(.sortedKeys) || isCanonical
    escapesSlashes = !formatting.contains(.withoutEscapingSlashes) && !isCanonical
    self.isCanonical = isCanonical
  }

  /// Returns whether a name comes before another in sorted objects.
  func precedes(_ one: String, _ other: String) -> Bool {
    isCanonical
      ? one.utf16.lexicographicallyPrecedes(other.utf16)
      : one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}

/// The error for containers that nest too deep, as in `JSONEncoder`.
struct JSONDepthError: Error {
  /// One more than the containers that may nest.
  static let limit = 512
}
