/// The errors for values in a container. Without a key, the coding path is that of the value.
extension JSONContainer {
  /// The error for a value of another kind.
  @inline(never)
  func mismatch(_ type: Any.Type, _ word: Int, _ key: (any CodingKey)? = nil) -> DecodingError {
    let found =
      switch document[word].kind {
      case .null: "null"
      case .true, .false: "bool"
      case .integer, .real: "number"
      case .ascii, .text, .escaped: "a string"
      case .array: "an array"
      case .object: "a dictionary"
      }
    return .typeMismatch(
      type, context(word, key, "Expected to decode \(type) but found \(found) instead."))
  }

  /// The error for `null`, or nothing, where a value is needed.
  @inline(never)
  func notFound(
    _ type: Any.Type, _ word: Int, _ description: String, _ key: (any CodingKey)? = nil
  ) -> DecodingError {
    .valueNotFound(type, context(word, key, description))
  }

  /// The error for a value that isn't what its type needs: `null`, or of another kind.
  @inline(never)
  func unexpected(
    _ type: Any.Type, _ word: Int, _ key: (any CodingKey)? = nil
  ) -> DecodingError {
    guard document[word].kind == .null else { return mismatch(type, word, key) }
    return notFound(
      type, word, "Cannot get value of type \(type) -- found null value instead", key)
  }

  /// The error for this object if it lacks a member.
  @inline(never)
  func missing(_ key: any CodingKey) -> DecodingError {
    .keyNotFound(
      key,
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\").",
        underlyingError: JSONOffset(offset: document[word].start)))
  }

  /// The error for a value of the right kind that can't be read.
  @inline(never)
  func corrupted(
    _ description: String, _ word: Int, _ key: (any CodingKey)? = nil
  ) -> DecodingError {
    .dataCorrupted(context(word, key, description))
  }

  /// The error for a number that a type can't represent.
  @inline(never)
  func outOfRange(
    _ type: Any.Type, _ word: Int, _ key: (any CodingKey)? = nil
  ) -> DecodingError {
    let number = document[word]
    let shown = min(number.length, 64)
    let text = document.text.string(at: number.offset, shown, isASCII: true)
    let rest = shown < number.length ? "…" : ""
    return corrupted("Parsed JSON number <\(text)\(rest)> does not fit in \(type).", word, key)
  }

  private func context(
    _ word: Int, _ key: (any CodingKey)?, _ description: String
  ) -> DecodingError.Context {
    DecodingError.Context(
      codingPath: key.map { codingPath + [$0] } ?? path(to: word), debugDescription: description,
      underlyingError: JSONOffset(offset: document[word].start))
  }
}
