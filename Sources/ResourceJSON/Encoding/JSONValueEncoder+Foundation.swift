internal import Foundation

/// The way in which values of a type are encoded.
enum WrittenForm {
  /// By the type itself.
  case itself
  /// As `JSONEncoder` encodes them, or as simple values.
  case string, date, url, data, decimal
  case strings, bools, integers, integers64, integers32, unsigned64, unsigned32, bytes
  case doubles, floats
  /// A dictionary with names.
  case dictionary

  init(_ type: any Encodable.Type) {
    if type == String.self {
      self = .string
    } else if type == Date.self {
      self = .date
    } else if type == URL.self {
      self = .url
    } else if type == Data.self {
      self = .data
    } else if type == Decimal.self {
      self = .decimal
    } else if type == [String].self {
      self = .strings
    } else if type == [Bool].self {
      self = .bools
    } else if type == [Int].self {
      self = .integers
    } else if type == [Int64].self {
      self = .integers64
    } else if type == [Int32].self {
      self = .integers32
    } else if type == [UInt64].self {
      self = .unsigned64
    } else if type == [UInt32].self {
      self = .unsigned32
    } else if type == [UInt8].self {
      self = .bytes
    } else if type == [Double].self {
      self = .doubles
    } else if type == [Float].self {
      self = .floats
    } else {
      self = type is any EncodableByName.Type ? .dictionary : .itself
    }
  }
}

/// Values that `JSONEncoder` writes in ways of its own.
extension JSONValueEncoder {
  /// Encodes a value of one of Foundation's types, or a list of simple values.
  ///
  /// - Parameter key: The key of the value inside this one; `nil` if it is this one.
  /// - Returns: Whether the form is one of those.
  func encode<Value: Encodable>(
    _ value: Value, as form: WrittenForm, for key: (any CodingKey)?
  ) throws -> Bool {
    switch form {
    case .itself, .dictionary: return false
    case .string: if let string = value as? String { output.append(string) }
    case .date: if let date = value as? Date { try encode(date, for: key) }
    case .url: if let url = value as? URL { output.append(url.absoluteString) }
    case .data: if let data = value as? Data { try encode(data, for: key) }
    case .decimal: if let decimal = value as? Decimal { try encode(decimal, for: key) }
    case .strings:
      guard let list = value as? [String] else { return false }
      try encode(list, for: key) { string, _ in output.append(string) }
    case .bools:
      guard let list = value as? [Bool] else { return false }
      try encode(list, for: key) { bool, _ in output.text.append(bool) }
    case .integers: try encode(integers: value as? [Int], for: key)
    case .integers64: try encode(integers: value as? [Int64], for: key)
    case .integers32: try encode(integers: value as? [Int32], for: key)
    case .unsigned64: try encode(integers: value as? [UInt64], for: key)
    case .unsigned32: try encode(integers: value as? [UInt32], for: key)
    case .bytes: try encode(integers: value as? [UInt8], for: key)
    case .doubles: try encode(floats: value as? [Double], for: key)
    case .floats: try encode(floats: value as? [Float], for: key)
    }
    return true
  }

  private func encode<Number: FixedWidthInteger>(
    integers list: [Number]?, for key: (any CodingKey)?
  ) throws {
    if let list { try encode(list, for: key) { try encode($0, in: key, at: $1) } }
  }

  private func encode<Number: JSONFloat>(floats list: [Number]?, for key: (any CodingKey)?) throws {
    if let list { try encode(list, for: key) { try encode($0, in: key, at: $1) } }
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
      case .formatted(let formatter):
        output.append(formatter.string(from: date))
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
