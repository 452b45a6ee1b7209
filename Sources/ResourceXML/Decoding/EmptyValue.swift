/// The types that repeated elements make. When none are there, they are empty and not missing.
protocol EmptyValue {
  init()
}

extension Array: EmptyValue {}
extension ContiguousArray: EmptyValue {}
extension Set: EmptyValue {}

/// Those that can be made here, where an element that isn't one of theirs can be passed over.
protocol DecodableList {
  /// - Throws: What decoding an item throws.
  init(_ session: DecodingSession, _ level: Level) throws
}

extension Array: DecodableList where Element: Decodable {
  init(_ session: DecodingSession, _ level: Level) throws {
    self = try session.list(of: Element.self, at: level)
  }
}

extension ContiguousArray: DecodableList where Element: Decodable {
  init(_ session: DecodingSession, _ level: Level) throws {
    self.init(try session.list(of: Element.self, at: level))
  }
}

extension Set: DecodableList where Element: Decodable {
  init(_ session: DecodingSession, _ level: Level) throws {
    self.init(try session.list(of: Element.self, at: level))
  }
}

extension DecodingSession {
  /// The items of a list but for those that are no case of a choice and may be passed over: because they are
  /// wanted elsewhere, in another property of the type around the list, or because the decoder says so.
  fileprivate func list<T: Decodable>(of type: T.Type, at level: Level) throws -> [T] {
    var values: [T] = []
    for (index, item) in items(of: level).enumerated() {
      let inner = self.level(of: item, at: index, in: level)
      unknownChoice = nil
      do {
        values.append(try decode(type, at: inner))
      } catch {
        guard unknownChoice == item.node else { throw error }
        if decoder.unknownChoiceStrategy == .skip || isClaimed(item, in: level) { continue }
        throw corrupted(
          "no case is for \(item.mode == .item ? "this element" : "text here")", inner)
      }
    }
    return values
  }

  private func isClaimed(_ item: Item, in level: Level) -> Bool {
    guard item.mode == .item, let isClaimed = level.isClaimed else { return false }
    let name = Int(nodes[item.node].name)
    return isClaimed(keys.string(qualified[name])) || isClaimed(keys.string(local[name]))
  }
}
