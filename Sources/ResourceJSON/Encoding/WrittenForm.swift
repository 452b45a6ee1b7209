internal import Foundation

/// The way in which values of a type are encoded.
enum WrittenForm {
  /// By the type itself.
  case itself
  /// As `JSONEncoder` encodes them.
  case date, url, data, decimal
  case scalar(any JSONScalar.Type)
  case scalars(any JSONScalar.Type)
  /// A list, or a dictionary with names.
  case container(any WrittenContainer.Type)
}

/// A type whose values aren't encoded by their own method.
protocol WrittenSpecially {
  static var writtenForm: WrittenForm { get }
}

extension Date: WrittenSpecially { static var writtenForm: WrittenForm { .date } }
extension URL: WrittenSpecially { static var writtenForm: WrittenForm { .url } }
extension Data: WrittenSpecially { static var writtenForm: WrittenForm { .data } }
extension Decimal: WrittenSpecially { static var writtenForm: WrittenForm { .decimal } }

/// A list, whose elements are encoded without a container for each, or a dictionary with names,
/// which aren't converted by the strategy for keys.
protocol WrittenContainer: WrittenSpecially {
  static var isDictionary: Bool { get }

  /// Encodes a value of this type as that of an encoder.
  static func encode<Value>(_ value: Value, to encoder: JSONValueEncoder) throws
}

extension Array: WrittenSpecially, WrittenContainer where Element: Encodable {
  static var writtenForm: WrittenForm {
    (Element.self as? any JSONScalar.Type).map { .scalars($0) } ?? .container(Self.self)
  }

  static var isDictionary: Bool { false }

  static func encode<Value>(_ value: Value, to encoder: JSONValueEncoder) throws {
    guard let list = value as? Self else { return }
    try encoder.encode(elements: list)
  }
}

extension Dictionary: WrittenSpecially, WrittenContainer where Key == String, Value: Encodable {
  static var writtenForm: WrittenForm { .container(Self.self) }

  static var isDictionary: Bool { true }

  static func encode<Whole>(_ value: Whole, to encoder: JSONValueEncoder) throws {
    guard let dictionary = value as? Self else { return }
    encoder.open(.object)
    let isPlain = encoder.output.settings.naming == .plain
    for (name, value) in dictionary {
      try encoder.encode(
        value, named: name, for: isPlain ? JSONKey.member(name) : JSONKey.name(name))
    }
  }
}

extension JSONValueEncoder {
  /// Encodes a value in the form of its type.
  ///
  /// - Parameter key: The key of the value inside this one; `nil` if it is this one.
  @inline(__always)
  func encode<Value: Encodable>(
    _ value: Value, as form: WrittenForm, for key: (any CodingKey)?
  ) throws {
    if case .itself = form { return try encode(for: key) { try value.encode(to: $0) } }
    try encode(value, inForm: form, for: key)
  }

  private func encode<Value: Encodable>(
    _ value: Value, inForm form: WrittenForm, for key: (any CodingKey)?
  ) throws {
    switch form {
    case .itself: break
    case .date: if let date = value as? Date { try encode(date, for: key) }
    case .url: if let url = value as? URL { output.append(url.absoluteString) }
    case .data: if let data = value as? Data { try encode(data, for: key) }
    case .decimal: if let decimal = value as? Decimal { try encode(decimal, for: key) }
    case .scalar(let type): try type.encode(value, to: self, for: key)
    case .scalars(let type): try type.encode(list: value, to: self, for: key)
    case .container(let type):
      guard let key else { return try type.encode(value, to: self) }
      // In `JSONEncoder`, too, the key of a dictionary isn't on the path of its members if there is
      // a strategy for keys.
      let isOnPath = output.settings.naming == .plain || !type.isDictionary
      try withEncoder(for: isOnPath ? key : nil) { try type.encode(value, to: $0) }
    }
  }

  /// Calls a closure with the encoder for a value; without a key that is this one.
  @inline(__always)
  func encode(for key: (any CodingKey)?, _ body: (JSONValueEncoder) throws -> Void) throws {
    guard let key else { return try body(self) }
    try withEncoder(for: key, body)
  }

  private func encode(_ date: Date, for key: (any CodingKey)?) throws {
    switch output.settings.dates {
    case .deferredToDate:
      try Double.encode(date.timeIntervalSinceReferenceDate, to: self, for: key)
    case .secondsSince1970: try encode(seconds: date.timeIntervalSince1970, for: key)
    case .millisecondsSince1970: try encode(seconds: 1000 * date.timeIntervalSince1970, for: key)
    case .iso8601: output.append(iso8601: date)
    case .custom(let write): try encodeOrEmpty(for: key) { try write(date, $0) }
    #if canImport(Darwin)
      // Elsewhere this is a `custom` one.
      case .formatted(let formatter):
        output.append(formatter.string(from: date))
    #endif
    @unknown default: try encodeOrEmpty(for: key) { try date.encode(to: $0) }
    }
  }

  /// For `JSONEncoder` the strategy for numbers that JSON can't express isn't one for dates.
  private func encode(seconds: Double, for key: (any CodingKey)?) throws {
    guard seconds.isFinite else { throw unable(seconds, for: key) }
    output.write { seconds.append(to: &$0, output.settings) }
  }

  private func encode(_ data: Data, for key: (any CodingKey)?) throws {
    switch output.settings.data {
    case .base64: output.append(data.base64EncodedString())
    case .custom(let write): try encodeOrEmpty(for: key) { try write(data, $0) }
    case .deferredToData: try encodeOrEmpty(for: key) { try data.encode(to: $0) }
    @unknown default: try encodeOrEmpty(for: key) { try data.encode(to: $0) }
    }
  }

  private func encode(_ decimal: Decimal, for key: (any CodingKey)?) throws {
    let text = decimal.description
    guard !decimal.isNaN else { throw unable(decimal, for: key) }
    guard output.settings.isCanonical else { return output.write { $0.append(ascii: text) } }
    guard let number = Double(text), Decimal(string: number.description) == decimal else {
      throw unable(decimal, for: key)
    }
    output.write { $0.append(canonical: number) }
  }

  private func encodeOrEmpty(
    for key: (any CodingKey)?, _ body: (JSONValueEncoder) throws -> Void
  ) throws {
    try encode(for: key, body)
    if key == nil, form == .nothing { open(.object) }
  }
}

extension JSONOutput {
  /// Appends a date as `2024-03-05T10:20:30Z`.
  fileprivate func append(iso8601 date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    // For Foundation earlier years are of the Julian calendar.
    guard -11_644_473_600..<253_402_300_800 ~= seconds else {
      return append(date.formatted(.iso8601))
    }
    write { $0.append(iso8601: Int64(seconds)) }
  }
}
