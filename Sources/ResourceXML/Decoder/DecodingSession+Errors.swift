internal import ResourcePrimitives

/// The offset of an error whose line hasn't been counted. `try?` discards many errors, so lines are
/// counted only for errors that leave the decoder.
struct DecodingOffset: Error {
  var offset: Int
}

extension DecodingSession {
  func mismatch(_ type: Any.Type, _ level: Level) -> DecodingError {
    let isSecret = level.codingPath.contains { Secrets.isSecret(name: $0.stringValue) }
    let text =
      isSecret
      ? "<redacted>" : withText(of: level.node, level.mode) { $0.string(0..<min($0.count, 60)) }
    return .typeMismatch(type, context(level, "“\(text)” isn't a \(type)"))
  }

  func corrupted(_ message: String, _ level: Level, at node: Int? = nil) -> DecodingError {
    .dataCorrupted(context(level, message, at: node))
  }

  func missing(_ key: any CodingKey, _ level: Level) -> DecodingError {
    let message = "no element or attribute “\(key.stringValue)”"
    return .keyNotFound(key, context(level, message))
  }

  func exhausted(_ type: Any.Type, _ level: Level, index: Int) -> DecodingError {
    var context = context(level, "there are only \(index) items")
    context = DecodingError.Context(
      codingPath: context.codingPath + [PathKey(index: index)],
      debugDescription: context.debugDescription, underlyingError: context.underlyingError)
    return .valueNotFound(type, context)
  }

  private func context(
    _ level: Level, _ message: String, at node: Int? = nil
  ) -> DecodingError.Context {
    DecodingError.Context(
      codingPath: level.codingPath, debugDescription: message,
      underlyingError: DecodingOffset(offset: storage.offset(of: nodes[node ?? level.node])))
  }

  /// Returns the error with its line and column. An error that a type throws on its own is located
  /// by its coding path, which begins at the value that the caller asked for.
  func located(_ error: DecodingError, from start: Level) -> DecodingError {
    switch error {
    case .typeMismatch(let type, let context): .typeMismatch(type, located(context, start))
    case .valueNotFound(let type, let context): .valueNotFound(type, located(context, start))
    case .keyNotFound(let key, let context): .keyNotFound(key, located(context, start))
    case .dataCorrupted(let context): .dataCorrupted(located(context, start))
    @unknown default: error
    }
  }

  private func located(
    _ context: DecodingError.Context, _ start: Level
  ) -> DecodingError.Context {
    let place = context.underlyingError as? DecodingOffset
    guard place != nil || context.underlyingError == nil else { return context }
    let offset =
      place?.offset ?? storage.offset(of: nodes[node(at: context.codingPath, from: start)])
    let failure = Failure(.content, "the content isn't what the type wants", at: offset)
    var error = storage.source.withSpan { XMLError(failure, in: $0, from: TextPosition()) }
    // A type's own error may quote the value, as the error of an enum does.
    error.message = place == nil ? context.redactedDescription() : context.debugDescription
    return DecodingError.Context(
      codingPath: context.codingPath,
      debugDescription: "\(error.message) (line \(error.line), column \(error.column))",
      underlyingError: error)
  }

  /// Returns the innermost node on a coding path that begins with the path of `start`.
  private func node(at path: [any CodingKey], from start: Level) -> Int {
    var level = start
    for key in path.dropFirst(start.codingPath.count) {
      guard let next = step(key, from: level) else { break }
      level = next
    }
    return level.node
  }

  private func step(_ key: any CodingKey, from level: Level) -> Level? {
    if let index = key.intValue {
      let items = items(of: level)
      guard items.indices.contains(index) else { return nil }
      return self.level(of: items[index], at: index, in: level)
    }
    let name = key.stringValue
    let kind = (key as? any XMLNodeCodingKey)?.node ?? .any
    if let found = find(name, kind: kind, in: level) {
      return Level(found.node, mode: found.mode, match: found.match, parent: level)
    }
    // The key of a choice and `_0`, the compiler's key for its value, both mean the element itself.
    let isChoice = level.mode == .item && quality(nodes[level.node].name, match(name)) > 0
    return isChoice || name == "_0" ? level : nil
  }

  var root: Level { Level(0, mode: .item) }

  /// The value at a path of names from the root.
  func level(at path: String?) throws -> Level {
    var level = root
    guard let path else { return level }
    for (position, name) in path.parts(between: ".").map(String.init).enumerated() {
      let key = PathKey(name)
      if position == 0 {
        let match = match(name)
        guard match.name != NameMatch.nothing, quality(nodes[0].name, match) > 0 else {
          throw missing(key, level)
        }
        level = Level(0, mode: .item, key: key)
      } else {
        guard let found = find(name, kind: .any, in: level) else { throw missing(key, level) }
        level = Level(found.node, mode: found.mode, match: found.match, parent: level, key: key)
      }
    }
    return level
  }
}
