internal import Foundation

/// Simple values in a container.
extension JSONContainer {
  /// Returns a Boolean; `nil` if the value is something else.
  @inline(__always)
  func bool(_ word: Int) -> Bool? {
    switch document[word].kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// Returns a string; `nil` if the value is something else.
  @inline(__always)
  func string(_ word: Int) -> String? {
    let value = document[word]
    return value.isString ? document.string(value) : nil
  }

  /// Returns a whole number; `nil` if the value is something else, or only `slowInteger` can read
  /// it.
  @inline(__always)
  func integer<Number: FixedWidthInteger>(_ word: Int) -> Number? {
    let value = document[word]
    guard value.kind == .integer,
      let number = document.text.shortInteger(at: value.offset, value.length)
    else { return nil }
    return Number(exactly: number)
  }

  /// Returns a number; `nil` if the value is something else, or has no `Double`.
  @inline(__always)
  func double(_ word: Int) -> Double? {
    let value = document[word]
    guard value.isNumber else { return nil }
    return document.text.double(at: value.offset, value.length)
  }
}

extension JSONContainer {
  @inline(never)
  func reject<Value>(_ type: Value.Type, _ word: Int, _ key: (any CodingKey)?) throws -> Value {
    // For Foundation `null` is a mismatch where a Boolean is expected.
    throw type == Bool.self ? mismatch(type, word, key) : unexpected(type, word, key)
  }

  /// Reads a whole number that is long, or written as another one, such as `1e2`.
  @inline(never)
  func slowInteger<Number: FixedWidthInteger>(
    _ word: Int, _ key: (any CodingKey)?
  ) throws -> Number {
    let value = document[word]
    guard value.isNumber else { throw unexpected(Number.self, word, key) }
    guard
      let number = document.text.integer(at: value.offset, value.length, Number.self)
    else { throw outOfRange(Number.self, word, key) }
    return number
  }

  /// Returns the `Double` for a string that stands for infinity or NaN.
  @inline(never)
  func slowDouble(_ word: Int, _ key: (any CodingKey)?) throws -> Double {
    if let double: Double = nonConforming(word) { return double }
    throw document[word].isNumber
      ? outOfRange(Double.self, word, key) : unexpected(Double.self, word, key)
  }

  func float(_ word: Int, _ key: (any CodingKey)?) throws -> Float {
    let value = document[word]
    guard value.isNumber else {
      if let float: Float = nonConforming(word) { return float }
      throw unexpected(Float.self, word, key)
    }
    guard let number = document.text.float(at: value.offset, value.length) else {
      throw outOfRange(Float.self, word, key)
    }
    return number
  }

  /// Returns the number for one of the strings of the strategy. As in Foundation, it is written in
  /// the same bytes, without escapes.
  private func nonConforming<Number: BinaryFloatingPoint>(_ word: Int) -> Number? {
    guard document[word].kind != .escaped, let text = string(word),
      case .convertFromString(let positive, let negative, let nan) = document.settings.floats
    else { return nil }
    if text.utf8.elementsEqual(positive.utf8) { return .infinity }
    if text.utf8.elementsEqual(negative.utf8) { return -.infinity }
    return text.utf8.elementsEqual(nan.utf8) ? .nan : nil
  }
}

extension IndexWord {
  /// Whether this is a number.
  @inline(__always)
  var isNumber: Bool { kind == .real || kind == .integer }
}
