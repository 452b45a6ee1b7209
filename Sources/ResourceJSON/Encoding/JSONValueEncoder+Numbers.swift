internal import Foundation

/// `Double` and `Float`.
protocol JSONFloat: BinaryFloatingPoint, CustomStringConvertible, Encodable, Sendable {}

extension Double: JSONFloat {}
extension Float: JSONFloat {}

/// A floating-point number as it is written.
enum WrittenFloat<Number: JSONFloat> {
  case number(Number)
  /// A text for what isn't a number in JSON.
  case text(String)
}

extension JSONOutput {
  @inline(__always)
  func append(_ number: some FixedWidthInteger) { text.append(number) }

  @inline(__always)
  func append<Number: JSONFloat>(_ number: WrittenFloat<Number>) {
    switch number {
    case .number(let number):
      settings.isCanonical ? text.append(canonical: Double(number)) : text.append(number)
    case .text(let string): append(string)
    }
  }
}

extension JSONValueEncoder {
  /// Returns a number as the strategy for those that JSON can't express has it.
  ///
  /// - Parameter key: The key of the number in this value; `nil` if it is this value.
  @inline(__always)
  func written<Number: JSONFloat>(
    _ number: Number, for key: (any CodingKey)?
  ) throws -> WrittenFloat<Number> {
    number.isFinite ? .number(number) : try replacement(of: number, for: key)
  }

  @inline(never)
  private func replacement<Number: JSONFloat>(
    of number: Number, for key: (any CodingKey)?
  ) throws -> WrittenFloat<Number> {
    guard case .convertToString(let positive, let negative, let notANumber) = output.settings.floats
    else { throw unable(number, for: key) }
    if number.isNaN { return .text(notANumber) }
    return .text(number > 0 ? positive : negative)
  }

  /// Returns the error for a number that can't be written.
  func unable<Number>(_ number: Number, for key: (any CodingKey)?) -> EncodingError {
    EncodingError.invalidValue(
      number,
      EncodingError.Context(
        codingPath: codingPath + (key.map { [$0] } ?? []),
        debugDescription: "Unable to encode \(Number.self).\(number) directly in JSON."))
  }

  /// Throws an error for an integer that canonical JSON can't express.
  @inline(__always)
  func check(_ number: some FixedWidthInteger, for key: (any CodingKey)?) throws {
    if output.settings.isCanonical { try checkExactness(number, for: key) }
  }

  private func checkExactness(_ number: some FixedWidthInteger, for key: (any CodingKey)?) throws {
    // The numbers of RFC 8785 are doubles: beyond 2^53 they are integers with gaps, and from 10^21
    // on they are written with an exponent.
    guard number.magnitude <= 1 << 53 else { throw unable(number, for: key) }
  }
}
