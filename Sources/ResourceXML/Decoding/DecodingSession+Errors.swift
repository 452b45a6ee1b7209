/// The place of an error before its line is counted: many errors are caught on the way by `try?`.
struct DecodingPlace: Error {
  var offset: Int
}

extension DecodingSession {
  func mismatch(_ type: Any.Type, _ level: Level) -> DecodingError {
    let text = withText(of: level.node) { $0.string(0..<min($0.count, 60)) }
    return .typeMismatch(type, context(level, "“\(text)” isn't a \(type)"))
  }

  func corrupted(_ message: String, _ level: Level) -> DecodingError {
    .dataCorrupted(context(level, message))
  }

  func missing(_ key: any CodingKey, _ level: Level) -> DecodingError {
    let message = "no element or attribute “\(key.stringValue)”"
    return .keyNotFound(key, context(level, message))
  }

  func exhausted(_ type: Any.Type, _ level: Level, index: Int) -> DecodingError {
    var context = context(level, "there are only \(index) items")
    context = DecodingError.Context(
      codingPath: context.codingPath + [PositionKey(intValue: index)],
      debugDescription: context.debugDescription, underlyingError: context.underlyingError)
    return .valueNotFound(type, context)
  }

  private func context(_ level: Level, _ message: String) -> DecodingError.Context {
    DecodingError.Context(
      codingPath: level.codingPath, debugDescription: message,
      underlyingError: DecodingPlace(offset: storage.offset(of: nodes[level.node])))
  }

  /// The error with its place as line and column. Errors that types throw themselves are placed by
  /// their coding path.
  func located(_ error: DecodingError) -> DecodingError {
    switch error {
    case .typeMismatch(let type, let context): .typeMismatch(type, located(context))
    case .valueNotFound(let type, let context): .valueNotFound(type, located(context))
    case .keyNotFound(let key, let context): .keyNotFound(key, located(context))
    case .dataCorrupted(let context): .dataCorrupted(located(context))
    @unknown default: error
    }
  }

  private func located(_ context: DecodingError.Context) -> DecodingError.Context {
    let place = context.underlyingError as? DecodingPlace
    guard place != nil || context.underlyingError == nil else { return context }
    let offset = place?.offset ?? storage.offset(of: nodes[node(at: context.codingPath)])
    let failure = Failure(.content, "the content isn't what the type wants", at: offset)
    var error = storage.source.withSpan { XMLError(failure, in: $0, from: TextPosition()) }
    error.message = context.debugDescription
    return DecodingError.Context(
      codingPath: context.codingPath,
      debugDescription: "\(context.debugDescription) (line \(error.line), column \(error.column))",
      underlyingError: error)
  }

  /// The innermost node that a coding path leads to.
  private func node(at path: [any CodingKey]) -> Int {
    var level = Level(0, mode: .item)
    for key in path {
      if let index = key.intValue {
        let items = items(of: level)
        guard items.indices.contains(index) else { return level.node }
        level = Level(items[index].node, mode: items[index].mode, parent: level)
      } else {
        guard let found = find(key.stringValue, kind: .any, in: level) else { return level.node }
        level = Level(found.node, mode: found.mode, match: found.match, parent: level)
      }
    }
    return level.node
  }

  /// The value at a path of names from the root.
  func level(at path: String?) throws -> Level {
    var level = Level(0, mode: .item)
    guard let path else { return level }
    let names = path.split(separator: ".").map(String.init)
    for (position, name) in names.enumerated() {
      let key = PathKey(stringValue: name)
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

/// A name of a path.
struct PathKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
