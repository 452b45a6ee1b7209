import Foundation

/// A value that may be broken: then it is `nil`, and what is around it can still be read.
struct Lenient<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) {
    value = try? Value(from: decoder)
  }
}

/// A text, or a number that stands for one, as some feeds have in their ids.
struct LenientText: Decodable {
  let text: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      text = String(number)
    } else {
      text = try container.decode(String.self)
    }
  }
}

extension KeyedDecodingContainer {
  /// The value of a key, or `nil` where it is missing or something else.
  func lenient<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) -> Value? {
    (try? decodeIfPresent(Lenient<Value>.self, forKey: key))?.value
  }

  /// The values of a list that can be read, without the others; empty where there is no list.
  func lenientList<Value: Decodable>(_ key: Key, of type: Value.Type = Value.self) -> [Value] {
    lenient(key, as: [Lenient<Value>].self)?.compactMap(\.value) ?? []
  }

  /// The text or number of a key that isn't empty.
  func lenientText(_ key: Key) -> String? {
    lenient(key, as: LenientText.self).flatMap { $0.text.isEmpty ? nil : $0.text }
  }
}
