/// A text that is searched for secrets: as it is, and without one layer of escapes after another.
///
/// `redirect_uri=https%3A%2F%2Fa%3Ftoken%3Dx` contains a URL with a token, and a member of JSON can
/// contain JSON. A search of every layer needs no escaped forms. Each layer takes time in
/// proportion to the text, and there are at most ``layers``.
struct SourceText: Sendable {
  /// The number of layers that are searched, that of the text itself included.
  static let layers = 4

  let bytes: [UInt8]
  /// Where each byte begins in the text itself, and where the last one ends; empty for the text.
  private let origins: [UInt32]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    origins = []
  }

  private init(_ bytes: [UInt8], _ origins: [UInt32]) {
    (self.bytes, self.origins) = (bytes, origins)
  }
}

extension SourceText {
  /// Returns the part of the text itself that a range of this layer stands for.
  func origin(of range: Range<Int>) -> Range<Int> {
    guard !origins.isEmpty else { return range }
    var end = range.upperBound
    // An escape may stand for several bytes, and is taken as a whole.
    while end > range.lowerBound, end < bytes.count, origins[end] == origins[end - 1] { end += 1 }
    return Int(origins[range.lowerBound])..<Int(origins[end])
  }

  /// Calls a closure with each layer, beginning with the text itself.
  func forEachLayer(_ body: (SourceText) -> Void) {
    var layer = self
    for _ in 1..<Self.layers {
      body(layer)
      guard let next = layer.withoutEscapes else { return }
      layer = next
    }
    body(layer)
  }

  /// The next layer, without the escapes of URLs, JSON and HTML; `nil` if there are none.
  var withoutEscapes: SourceText? {
    guard bytes.count < UInt32.max,
      let first = bytes.indices.first(where: { Escape.at($0, in: bytes) != nil })
    else { return nil }
    var (plain, places) = ([UInt8](), [UInt32]())
    plain.reserveCapacity(bytes.count)
    places.reserveCapacity(bytes.count + 1)
    func append(_ byte: UInt8, from place: Int) {
      plain.append(byte)
      places.append(origins.isEmpty ? UInt32(place) : origins[place])
    }
    var place = 0
    while place < bytes.count {
      if place >= first, let escape = Escape.at(place, in: bytes) {
        for byte in escape.bytes { append(byte, from: place) }
        place += escape.length
      } else {
        append(bytes[place], from: place)
        place += 1
      }
    }
    places.append(origins.last ?? UInt32(bytes.count))
    return SourceText(plain, places)
  }
}

extension SourceText {
  /// The bytes with which the escapes of URLs, of JSON and of HTML begin.
  static let escapeMarks = [UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&")]

  /// Returns the bytes without one layer of the escapes of one kind.
  func withoutEscapes(beginningWith mark: UInt8) -> [UInt8] {
    guard bytes.contains(mark) else { return bytes }
    var (plain, place) = ([UInt8](), 0)
    while place < bytes.count {
      guard bytes[place] == mark, let escape = Escape.at(place, in: bytes) else {
        plain.append(bytes[place])
        place += 1
        continue
      }
      plain += escape.bytes
      place += escape.length
    }
    return plain
  }
}

extension String {
  /// The text without any layer of escapes.
  package var withoutEscapes: String {
    guard utf8.contains(where: { SourceText.escapeMarks.contains($0) }) else { return self }
    var last = SourceText([])
    SourceText(Array(utf8)).forEachLayer { last = $0 }
    return String(decoding: last.bytes, as: UTF8.self)
  }

  /// The text without one layer of percent-encoding. Bytes that aren't UTF-8 become U+FFFD, and a
  /// percent sign without two digits stays.
  package var withoutPercentEscapes: String {
    let bytes = SourceText(Array(utf8)).withoutEscapes(beginningWith: UInt8(ascii: "%"))
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// An escape sequence: `%2F` of a URL, `\/` or `\u002f` of JSON, `&amp;` or `&#x2f;` of HTML.
private struct Escape {
  /// What it stands for.
  var bytes: [UInt8]
  /// The number of its own bytes.
  var length: Int
}

extension Escape {
  /// Returns the escape sequence that begins at a place; `nil` if there is none.
  @inline(__always)
  static func at(_ place: Int, in bytes: [UInt8]) -> Escape? {
    switch bytes[place] {
    case UInt8(ascii: "%"):
      hexadecimal(bytes, place + 1, 2).map { Escape(bytes: [UInt8($0)], length: 3) }
    case UInt8(ascii: "\\"): behindBackslash(place + 1, in: bytes)
    case UInt8(ascii: "&"): behindAmpersand(place + 1, in: bytes)
    default: nil
    }
  }

  private init?(_ scalar: Unicode.Scalar?, _ length: Int) {
    guard let scalar else { return nil }
    self.init(bytes: Array(String(scalar).utf8), length: length)
  }

  private static func behindBackslash(_ place: Int, in bytes: [UInt8]) -> Escape? {
    guard place < bytes.count else { return nil }
    return bytes[place] == UInt8(ascii: "u")
      ? unicode(place + 1, in: bytes) : Escape(single[bytes[place]], 2)
  }

  private static let single: [UInt8: Unicode.Scalar] = [
    UInt8(ascii: "/"): "/", UInt8(ascii: "\""): "\"", UInt8(ascii: "'"): "'",
    UInt8(ascii: "\\"): "\\", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r",
    UInt8(ascii: "t"): "\t",
  ]

  /// Reads the digits of `\u00e9`, and those of a second half if the first needs one.
  private static func unicode(_ place: Int, in bytes: [UInt8]) -> Escape? {
    guard let first = hexadecimal(bytes, place, 4) else { return nil }
    if let scalar = Unicode.Scalar(first) { return Escape(scalar, 6) }
    guard bytes[(place + 4)...].prefix(2).elementsEqual("\\u".utf8),
      let second = hexadecimal(bytes, place + 6, 4), first < 0xDC00,
      (0xDC00...0xDFFF).contains(second)
    else { return nil }
    return Escape(Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)), 12)
  }

  private static func behindAmpersand(_ place: Int, in bytes: [UInt8]) -> Escape? {
    let rest = bytes[place...].prefix(9)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: rest[..<end], as: UTF8.self)
    return Escape(named[name] ?? numbered(name), end - place + 2)
  }

  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
  ]

  /// Reads a number behind `#` or `#x`.
  private static func numbered(_ name: String) -> Unicode.Scalar? {
    guard name.begins(with: "#") else { return nil }
    let digits = name.dropFirst()
    let value =
      digits.lowercased().begins(with: "x")
      ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap(Unicode.Scalar.init)
  }

  private static func hexadecimal(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt32? {
    guard place + count <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[place..<place + count] {
      guard PercentEncoding.isHexadecimal(byte) else { return nil }
      value = value << 4 | UInt32(byte.isASCIIDigit ? byte & 0xF : byte & 0xF + 9)
    }
    return value
  }
}
