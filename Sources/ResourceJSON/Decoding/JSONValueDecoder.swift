/// The decoder of one value.
///
/// It has two words, one of them a reference, so that `any Decoder` and `any SingleValueDecodingContainer` hold it without
/// allocating.
struct JSONValueDecoder {
  /// In which the value stands.
  let container: JSONContainer
  /// The word of the value.
  let word: Int

  @inline(__always)
  init(_ container: JSONContainer, at word: Int) {
    self.container = container
    self.word = word
  }

  @inline(__always)
  var document: JSONDocument { container.document }
}

extension JSONValueDecoder: Decoder {
  var codingPath: [any CodingKey] { container.path(to: word) }

  var userInfo: [CodingUserInfoKey: Any] { document.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedValues<Key>(try object(type)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { UnkeyedValues(try array()) }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder {
  /// - Throws: `DecodingError` for a value that is no object.
  private func object(_ keys: any CodingKey.Type) throws -> JSONContainer {
    switch document[word].kind {
    case .object: return JSONContainer(objectAt: self, keys)
    case .null:
      throw container.notFound(
        [String: Any].self, word,
        "Cannot get keyed decoding container -- found null value instead")
    default: throw container.mismatch([String: Any].self, word)
    }
  }

  /// - Throws: `DecodingError` for a value that is no array.
  private func array() throws -> JSONContainer {
    switch document[word].kind {
    case .array: return JSONContainer(arrayAt: self)
    case .null:
      throw container.notFound(
        [Any].self, word, "Cannot get unkeyed decoding container -- found null value instead")
    default: throw container.mismatch([Any].self, word)
    }
  }
}
