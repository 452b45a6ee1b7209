internal import Foundation
internal import ResourcePrimitives

extension DecodingSession {
  func decode<T: Decodable>(_ type: T.Type, at level: Level) throws -> T {
    if type == Date.self, let value = try date(level) as? T { return value }
    if type == Data.self, let value = try data(level) as? T { return value }
    if type == URL.self, let value = try url(level) as? T { return value }
    if type == Decimal.self, let value = try decimal(level) as? T { return value }
    guard level.depth < DecodingSession.depthLimit else {
      throw corrupted("values are nested too deep", level)
    }
    if decoder.unknownChoiceStrategy == .skip || level.isClaimed != nil,
      let list = type as? any DecodableList.Type, let value = try list.init(self, level) as? T
    {
      return value
    }
    if isBlankElement(level), let optional = type as? any DecodableOptional.Type,
      let value = try optional.decodeBlank(in: self, level) as? T
    {
      return value
    }
    return try T(from: NodeDecoder(session: self, level: level))
  }

  private func trimmed(_ level: Level) throws -> String {
    try requireSingle(level)
    return withText(of: level.node, level.mode) { $0.string($0.trimmedRange) }
  }

  private func date(_ level: Level) throws -> Date {
    let text = try trimmed(level)
    let date: Date? =
      switch decoder.dateDecodingStrategy {
      case .xmlSchema: SchemaDate.parse(text)
      case .secondsSince1970: seconds(level).map { Date(timeIntervalSince1970: $0) }
      case .millisecondsSince1970: seconds(level).map { Date(timeIntervalSince1970: $0 / 1000) }
      case .rfc822: MailDate.parse(text)
      case .deferredToDate: seconds(level).map { Date(timeIntervalSinceReferenceDate: $0) }
      case .custom(let parse): try parse(text)
      }
    guard let date else { throw mismatch(Date.self, level) }
    return date
  }

  /// Returns a finite number, which can be a date.
  private func seconds(_ level: Level) -> Double? {
    withText(of: level.node, level.mode) { $0.double }.flatMap { $0.isFinite ? $0 : nil }
  }

  private func data(_ level: Level) throws -> Data {
    let text = try trimmed(level)
    let data: Data? =
      switch decoder.dataDecodingStrategy {
      case .base64: Data(base64Encoded: String(text.filter { !$0.isWhitespace }))
      case .hexadecimal: Data(hexadecimal: text.utf8)
      case .custom(let parse): try parse(text)
      }
    guard let data else { throw mismatch(Data.self, level) }
    return data
  }

  private func url(_ level: Level) throws -> URL {
    guard let url = URL(string: try trimmed(level)) else { throw mismatch(URL.self, level) }
    return url
  }

  private func decimal(_ level: Level) throws -> Decimal {
    let text = try trimmed(level)
    guard text.isDecimalNumber(),
      let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    else { throw mismatch(Decimal.self, level) }
    return value
  }
}

/// A type that repeated elements are decoded into. Without elements the value is empty, not
/// missing.
protocol EmptyValue {
  init()
}

extension Array: EmptyValue {}
extension ContiguousArray: EmptyValue {}
extension Set: EmptyValue {}

/// A list that is decoded item by item, so that elements of other properties can be skipped.
protocol DecodableList {
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
  /// Decodes the items of a list. An item that matches no case of a choice is skipped if another
  /// property of the enclosing type has a key for it, or if the decoder's strategy says so.
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
          "no case matches this \(item.mode == .item ? "element" : "text")", inner)
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
