internal import Foundation

/// The settings of a `JSONDecoder`.
struct JSONSettings {
  let dates: JSONDecoder.DateDecodingStrategy
  let data: JSONDecoder.DataDecodingStrategy
  let keys: JSONDecoder.KeyDecodingStrategy
  let floats: JSONDecoder.NonConformingFloatDecodingStrategy
  let userInfo: [CodingUserInfoKey: Any]
  let naming: Naming

  /// The kind of the key strategy, which is copied without reference counting.
  enum Naming { case plain, snakeCase, custom }

  init(_ decoder: JSONDecoder) {
    dates = decoder.dateDecodingStrategy
    data = decoder.dataDecodingStrategy
    keys = decoder.keyDecodingStrategy
    floats = decoder.nonConformingFloatDecodingStrategy
    userInfo = decoder.userInfo
    naming =
      switch keys {
      case .useDefaultKeys: .plain
      case .convertFromSnakeCase: .snakeCase
      default: .custom
      }
  }

  /// Returns a name of the text in the form that coding keys have, unless a closure converts it
  /// (``ConvertedNames``).
  func converted(_ name: String) -> String {
    naming == .snakeCase ? name.camelCase : name
  }
}
