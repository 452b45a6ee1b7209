internal import Foundation

extension DecodingSession {
  /// The text of a node, lent.
  @inline(__always)
  func withText<T>(of index: Int, _ body: (Span<UInt8>) -> T) -> T {
    let node = nodes[index]
    if !node.isElement || node.length > 0 { return storage.withText(of: node, body) }
    guard Int(node.end) > index + 1 else { return body([UInt8]().span) }
    let text = Array(storage.text(of: index).utf8)
    return body(text.span)
  }

  /// A string as the strategy wants it.
  func string(_ index: Int) -> String {
    withText(of: index) { $0.string(decoder.whitespaceStrategy) }
  }

  /// Whether there is nothing to decode: an element that is empty, or says that it is nil.
  func isNothing(_ index: Int) -> Bool {
    let node = nodes[index]
    if hasNil, isNil(index) { return true }
    guard node.isElement else { return withText(of: index) { $0.isBlank } }
    if node.length > 0 { return storage.withText(of: node) { $0.isBlank } && !hasAttributes(index) }
    return Int(node.end) == index + 1
  }

  /// The same for what a key found; attributes aren't content.
  func isNothing(_ found: Found) -> Bool {
    guard found.mode == .content, nodes[found.node].isElement else { return isNothing(found.node) }
    if nodes[found.node].length > 0 { return withText(of: found.node) { $0.isBlank } }
    return content(of: found.node).isEmpty
  }

  private func hasAttributes(_ index: Int) -> Bool { Int(nodes[index].end) > index + 1 }

  /// `xsi:nil` (XML Schema, section 2.6.2).
  func isNil(_ index: Int) -> Bool {
    guard hasNil, nodes[index].isElement else { return false }
    var i = index + 1
    while i < Int(nodes[index].end), nodes[i].isAttribute {
      let name = storage.names.name(nodes[i].name)
      if name.local == "nil", name.namespace == DecodingSession.instanceURI {
        return storage.withText(of: nodes[i]) { $0.boolean } ?? false
      }
      i += 1
    }
    return false
  }
}

extension DecodingSession {
  /// Decodes a value of any type.
  func decode<T: Decodable>(_ type: T.Type, at level: Level) throws -> T {
    if type == Date.self, let value = try date(level) as? T { return value }
    if type == Data.self, let value = try data(level) as? T { return value }
    if type == URL.self, let value = try url(level) as? T { return value }
    if type == Decimal.self, let value = try decimal(level) as? T { return value }
    guard level.depth < DecodingSession.depthLimit else {
      throw corrupted("values are nested too deep", level)
    }
    return try T(from: NodeDecoder(session: self, level: level))
  }

  private func trimmed(_ level: Level) -> String {
    withText(of: level.node) { $0.string($0.trimmedRange) }
  }

  private func date(_ level: Level) throws -> Date {
    let text = trimmed(level)
    let date: Date? =
      switch decoder.dateDecodingStrategy {
      case .xmlSchema: SchemaDate.parse(text)
      case .secondsSince1970: Double(text).map { Date(timeIntervalSince1970: $0) }
      case .millisecondsSince1970: Double(text).map { Date(timeIntervalSince1970: $0 / 1000) }
      case .deferredToDate: Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
      case .custom(let parse): try parse(text)
      }
    guard let date else { throw mismatch(Date.self, level) }
    return date
  }

  private func data(_ level: Level) throws -> Data {
    let text = trimmed(level)
    let data: Data? =
      switch decoder.dataDecodingStrategy {
      case .base64: Data(base64Encoded: String(text.filter { !$0.isWhitespace }))
      case .hexadecimal: Data(hexadecimal: text)
      case .custom(let parse): try parse(text)
      }
    guard let data else { throw mismatch(Data.self, level) }
    return data
  }

  private func url(_ level: Level) throws -> URL {
    guard let url = URL(string: trimmed(level)) else { throw mismatch(URL.self, level) }
    return url
  }

  private func decimal(_ level: Level) throws -> Decimal {
    let text = trimmed(level)
    let isDecimal = text.utf8.allSatisfy {
      $0.isASCIIDigit || $0 == .plus || $0 == .hyphen || $0 == 0x2E
    }
    guard isDecimal, let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    else { throw mismatch(Decimal.self, level) }
    return value
  }
}

extension Data {
  fileprivate init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
    self.init(
      stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
  }
}
