internal import Foundation

/// Makes values of JSON text, strictly by RFC 8259, in time that grows with the bytes and nothing else.
///
/// Foundation's decoder can't do it: for a value of any type it is asked one type after the other, and each
/// wrong one costs it the square of the depth.
struct JSONReader {
  /// How deep values may nest, as in Foundation's decoder.
  static let depthLimit = 512

  private var scanner: JSONScanner
  /// The values of what is open, and those that are complete behind them.
  private var values: [JSONValue] = []
  /// The names of the members of open objects.
  private var names: [String] = []
  /// Where in `values` and `names` that which is open begins.
  private var open: [(value: Int, name: Int)] = []

  init(_ text: Data) { scanner = JSONScanner(Array(text)) }
}

extension JSONReader {
  /// The value that a text is.
  ///
  /// - Throws: The first mistake, also for what nests too deep.
  static func value(_ text: Data) throws(JSONMistake) -> JSONValue {
    var reader = JSONReader(text)
    let value = try reader.value()
    try reader.scanner.end()
    return value
  }

  /// Members of the object that a text is; those without one of the names are only stepped over.
  ///
  /// - Returns: The members with one of the names, and the names of all.
  /// - Throws: The first mistake, also for a text that is no object.
  static func members(
    _ wanted: Set<String>, of text: Data
  ) throws(JSONMistake) -> (members: [String: JSONValue], names: Set<String>) {
    var reader = JSONReader(text)
    guard reader.scanner.skip(UInt8(ascii: "{")) else {
      throw reader.scanner.mistake("an object is expected")
    }
    var members: [String: JSONValue] = [:]
    var names: Set<String> = []
    while !(names.isEmpty && reader.scanner.skip(UInt8(ascii: "}"))) {
      let name = try reader.name()
      let isNew = names.insert(name).inserted
      if isNew, wanted.contains(name) {
        members[name] = try reader.value()
      } else {
        try reader.scanner.value()
      }
      if reader.scanner.skip(UInt8(ascii: ",")) { continue }
      guard reader.scanner.skip(UInt8(ascii: "}")) else {
        throw reader.scanner.mistake("“,” or “}” is expected")
      }
      break
    }
    try reader.scanner.end()
    return (members, names)
  }

  private mutating func name() throws(JSONMistake) -> String {
    var range = 0..<0
    try scanner.name { part throws(JSONMistake) in if case .name(let name) = part { range = name } }
    return scanner.text(range)
  }
}

extension JSONReader {
  /// Reads one value. What is complete is taken off the end and put there as one, so nothing is ever copied twice.
  private mutating func value() throws(JSONMistake) -> JSONValue {
    var scanner = scanner
    try scanner.value(depthLimit: Self.depthLimit) { part throws(JSONMistake) in take(part) }
    self.scanner = scanner
    return values.popLast() ?? .null
  }

  private mutating func take(_ part: JSONScanner.Part) {
    switch part {
    case .null: values.append(.null)
    case .bool(let value): values.append(.bool(value))
    case .number(let range): values.append(number(range))
    case .string(let range): values.append(.string(scanner.text(range)))
    case .name(let range): names.append(scanner.text(range))
    case .start: open.append((values.count, names.count))
    case .end(let isObject): close(isObject: isObject)
    }
  }

  private mutating func close(isObject: Bool) {
    guard let start = open.popLast() else { return }
    // Of several members with one name the first counts, as in Foundation's decoder.
    let value: JSONValue =
      isObject
      ? .object(
        Dictionary(zip(names[start.name...], values[start.value...])) { first, _ in first })
      : .array(Array(values[start.value...]))
    values.removeSubrange(start.value...)
    names.removeSubrange(start.name...)
    values.append(value)
  }

  /// A whole number, also one that is written with a fraction or an exponent, or else the nearest `Double`.
  private func number(_ range: Range<Int>) -> JSONValue {
    let text = String(decoding: scanner.bytes[range], as: UTF8.self)
    if let whole = Int64(text) { return .integer(whole) }
    let parts = text.split(separator: ".", maxSplits: 1)
    if parts.count == 2, parts[1].allSatisfy({ $0 == "0" }), let whole = Int64(parts[0]) {
      return .integer(whole)
    }
    let number = Double(text) ?? .infinity
    return Int64(exactly: number).map { .integer($0) } ?? .number(number)
  }
}
