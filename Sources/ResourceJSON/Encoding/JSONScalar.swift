internal import Foundation

/// A truth value, a number or a text.
protocol JSONScalar: Encodable, WrittenSpecially {
  /// Appends the value to a text.
  func append(to text: inout JSONBytes, _ settings: JSONWriterSettings)

  /// Returns the text for a number that JSON can't express, as the strategy for them has it; `nil`
  /// for any other value.
  ///
  /// - Parameters:
  ///   - encoder: The encoder of the value around it, or of the value.
  ///   - key: The key of the value in that of the encoder; `nil` if it is that one.
  func replacement(
    _ settings: JSONWriterSettings, in encoder: @autoclosure () -> JSONValueEncoder,
    for key: @autoclosure () -> (any CodingKey)?
  ) throws -> String?

  /// Encodes a value of this type.
  static func encode<Value>(_ value: Value, to encoder: JSONValueEncoder, for key: (any CodingKey)?)
    throws

  /// Encodes a list of values of this type.
  static func encode<List>(
    list: List, to encoder: JSONValueEncoder, for key: (any CodingKey)?) throws
}

extension JSONScalar {
  static var writtenForm: WrittenForm { .scalar(Self.self) }

  @inline(__always)
  func replacement(
    _ settings: JSONWriterSettings, in encoder: @autoclosure () -> JSONValueEncoder,
    for key: @autoclosure () -> (any CodingKey)?
  ) throws -> String? { nil }

  /// Appends the value, or the text in its place.
  @inline(__always)
  func append(to text: inout JSONBytes, or replacement: String?, _ settings: JSONWriterSettings) {
    if let replacement { return text.append(replacement, settings) }
    append(to: &text, settings)
  }

  // Inlined into the method of each type, where all of this is known to the compiler.
  @inline(__always)
  static func encode<Value>(
    _ value: Value, to encoder: JSONValueEncoder, for key: (any CodingKey)?
  ) throws {
    guard let value = value as? Self else { return }
    let settings = encoder.output.settings
    let replacement = try value.replacement(settings, in: encoder, for: key)
    encoder.output.write { value.append(to: &$0, or: replacement, settings) }
  }

  @inline(__always)
  static func encode<List>(
    list: List, to encoder: JSONValueEncoder, for key: (any CodingKey)?
  ) throws {
    guard let list = list as? [Self] else { return }
    try encoder.encode(scalars: list, for: key)
  }
}

extension JSONValueEncoder {
  /// Encodes a list without an encoder of its own.
  @inline(__always)
  fileprivate func encode(scalars list: [some JSONScalar], for key: (any CodingKey)?) throws {
    let settings = output.settings
    let level = key == nil ? level + 1 : level + 2
    if key == nil { open(.array) } else { checkDepth(level) }
    var position = 0
    for value in list {
      let replacement = try value.replacement(
        settings,
        in: key == nil ? self : JSONValueEncoder(output, in: self, for: key, level: level - 1),
        for: ElementKey(position: position))
      output.writePart(of: .array, isFirst: position == 0, level: level) {
        value.append(to: &$0, or: replacement, settings)
      }
      position &+= 1
    }
    if key == nil {
      count = list.count
    } else {
      output.close(.array, isEmpty: list.isEmpty, level: level - 1)
    }
  }
}

extension Bool: JSONScalar {
  @inline(__always)
  func append(to text: inout JSONBytes, _ settings: JSONWriterSettings) {
    text.append(self ? "true" : "false")
  }
}

extension String: JSONScalar {
  @inline(__always)
  func append(to text: inout JSONBytes, _ settings: JSONWriterSettings) {
    text.append(self, settings)
  }
}

extension JSONScalar where Self: FixedWidthInteger {
  @inline(__always)
  func append(to text: inout JSONBytes, _ settings: JSONWriterSettings) { text.append(self) }

  /// The numbers of RFC 8785 are doubles, which are integers with gaps beyond 2^53.
  @inline(__always)
  func replacement(
    _ settings: JSONWriterSettings, in encoder: @autoclosure () -> JSONValueEncoder,
    for key: @autoclosure () -> (any CodingKey)?
  ) throws -> String? {
    guard !settings.isCanonical || magnitude <= 1 << 53 else {
      throw encoder().unable(self, for: key())
    }
    return nil
  }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}
extension Int128: JSONScalar {}
extension UInt128: JSONScalar {}

/// `Double` and `Float`.
protocol JSONFloat: JSONScalar, BinaryFloatingPoint, CustomStringConvertible {}

extension Double: JSONFloat {}
extension Float: JSONFloat {}

extension JSONFloat {
  @inline(__always)
  func append(to text: inout JSONBytes, _ settings: JSONWriterSettings) {
    settings.isCanonical ? text.append(canonical: Double(self)) : text.append(self)
  }

  @inline(__always)
  func replacement(
    _ settings: JSONWriterSettings, in encoder: @autoclosure () -> JSONValueEncoder,
    for key: @autoclosure () -> (any CodingKey)?
  ) throws -> String? {
    isFinite ? nil : try encoder().text(for: self, for: key())
  }
}

extension JSONValueEncoder {
  @inline(never)
  fileprivate func text(for number: some JSONFloat, for key: (any CodingKey)?) throws -> String {
    guard case .convertToString(let positive, let negative, let nan) = output.settings.floats else {
      throw unable(number, for: key)
    }
    return number.isNaN ? nan : number > 0 ? positive : negative
  }

  /// Returns the error for a number that can't be written.
  func unable<Number>(_ number: Number, for key: (any CodingKey)?) -> EncodingError {
    EncodingError.invalidValue(
      number,
      EncodingError.Context(
        codingPath: codingPath + (key.map { [$0] } ?? []),
        debugDescription: "Unable to encode \(Number.self).\(number) directly in JSON."))
  }
}
