internal import Foundation

/// Values that `JSONEncoder` writes in ways of its own.
extension JSONValueEncoder {
  /// Encodes a value of one of Foundation's types, or a list of simple values.
  ///
  /// - Parameter key: The key of the value inside this one; `nil` if it is this one.
  /// - Returns: Whether the value was of such a type.
  func encodeAsFoundation<Value: Encodable>(
    _ value: Value, for key: (any CodingKey)?
  ) throws -> Bool {
    // Comparing types is much faster than casting.
    if Value.self == String.self, let string = value as? String {
      output.append(string)
    } else if Value.self == Date.self, let date = value as? Date {
      try encode(date, for: key)
    } else if Value.self == URL.self, let url = value as? URL {
      output.append(url.absoluteString)
    } else if Value.self == Data.self, let data = value as? Data {
      try encode(data, for: key)
    } else if Value.self == Decimal.self, let decimal = value as? Decimal {
      try encode(decimal, for: key)
    } else if Value.self == [String].self, let list = value as? [String] {
      try encode(list, for: key) { string, _ in output.append(string) }
    } else if Value.self == [Int].self, let list = value as? [Int] {
      try encode(list, for: key) { try encode($0, in: key, at: $1) }
    } else if Value.self == [Double].self, let list = value as? [Double] {
      try encode(list, for: key) { try encode($0, in: key, at: $1) }
    } else if Value.self == [Float].self, let list = value as? [Float] {
      try encode(list, for: key) { try encode($0, in: key, at: $1) }
    } else {
      return false
    }
    return true
  }

  /// Encodes the elements of a list with a closure, which gets each and its position.
  @inline(__always)
  private func encode<Element>(
    _ list: [Element], for key: (any CodingKey)?, _ body: (Element, Int) throws -> Void
  ) throws {
    guard key != nil else {
      open(.array)
      for element in list where beginElement() {
        try body(element, count)
        count += 1
      }
      return
    }
    if level + 2 >= JSONDepthError.limit { output.isTooDeep = true }
    output.open("[")
    var position = 0
    for element in list {
      output.separate(isFirst: position == 0, level: level + 2)
      try body(element, position)
      position &+= 1
    }
    output.close("]", level: level + 1)
  }

  @inline(__always)
  private func encode(
    _ number: some FixedWidthInteger, in key: (any CodingKey)?, at position: Int
  ) throws {
    if output.settings.isCanonical {
      try inside(key) { try $0.check(number, for: JSONKey.position(position)) }
    }
    output.append(number)
  }

  @inline(__always)
  private func encode(
    _ number: some JSONFloat, in key: (any CodingKey)?, at position: Int
  ) throws {
    guard !number.isFinite else { return output.append(number, or: nil) }
    try inside(key) {
      output.append(try $0.replacement(of: number, for: JSONKey.position(position)) ?? "")
    }
  }

  /// Calls a closure with an encoder for a value inside this one, without ending it.
  @inline(never)
  private func inside(
    _ key: (any CodingKey)?, _ body: (JSONValueEncoder) throws -> Void
  ) throws {
    guard let key else { return try body(self) }
    try body(JSONValueEncoder(output, in: self, for: key, level: level + 1))
  }
}

extension JSONValueEncoder {
  private func encode(_ date: Date, for key: (any CodingKey)?) throws {
    switch output.settings.dates {
    case .deferredToDate:
      let seconds = date.timeIntervalSinceReferenceDate
      output.append(seconds, or: try replacement(of: seconds, for: key))
    case .secondsSince1970: try encode(seconds: date.timeIntervalSince1970, for: key)
    case .millisecondsSince1970: try encode(seconds: 1000 * date.timeIntervalSince1970, for: key)
    case .iso8601: output.append(iso8601: date)
    case .custom(let write): try encode(for: key) { try write(date, $0) }
    #if canImport(Darwin)
      // Elsewhere this is a `custom` one.
      case .formatted(let formatter): output.append(formatter.string(from: date))
    #endif
    @unknown default: try encode(for: key) { try date.encode(to: $0) }
    }
  }

  /// For `JSONEncoder` the strategy for numbers that JSON can't express isn't one for dates.
  private func encode(seconds: Double, for key: (any CodingKey)?) throws {
    guard seconds.isFinite else { throw unable(seconds, for: key) }
    output.append(seconds, or: nil)
  }

  private func encode(_ data: Data, for key: (any CodingKey)?) throws {
    switch output.settings.data {
    case .base64: output.append(data.base64EncodedString())
    case .custom(let write): try encode(for: key) { try write(data, $0) }
    case .deferredToData: try encode(for: key) { try data.encode(to: $0) }
    @unknown default: try encode(for: key) { try data.encode(to: $0) }
    }
  }

  private func encode(_ decimal: Decimal, for key: (any CodingKey)?) throws {
    let text = decimal.description
    guard !decimal.isNaN else { throw unable(decimal, for: key) }
    guard output.settings.isCanonical else { return output.text.append(ascii: text) }
    guard let number = Double(text), Decimal(string: number.description) == decimal else {
      throw unable(decimal, for: key)
    }
    output.append(number, or: nil)
  }

  /// Calls a closure with the encoder for a value; without a key that is this one.
  private func encode(
    for key: (any CodingKey)?, _ body: (JSONValueEncoder) throws -> Void
  ) throws {
    if let key { return try withEncoder(for: key, body) }
    try body(self)
    if form == .nothing { open(.object) }
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
    text.append(iso8601: Int64(seconds))
  }
}
