internal import Foundation

/// `Double` and `Float`.
protocol JSONFloat: BinaryFloatingPoint, CustomStringConvertible {}

extension Double: JSONFloat {}
extension Float: JSONFloat {}

extension JSONOutput {
  @inline(__always)
  func append(_ number: some FixedWidthInteger) { text.append(number) }

  /// Appends a number, or the text for one that JSON can't express.
  @inline(__always)
  func append(_ number: some JSONFloat, or replacement: String?) {
    if let replacement { return append(replacement) }
    settings.isCanonical ? text.append(canonical: Double(number)) : text.append(number)
  }
}

extension JSONValueEncoder {
  /// Returns the text for a number that JSON can't express, as the strategy for them has it; `nil`
  /// for any other.
  ///
  /// - Parameter key: The key of the number in this value; `nil` if it is this value.
  @inline(__always)
  func replacement(of number: some JSONFloat, for key: (any CodingKey)?) throws -> String? {
    number.isFinite ? nil : try text(for: number, for: key)
  }

  @inline(never)
  private func text(for number: some JSONFloat, for key: (any CodingKey)?) throws -> String {
    guard case .convertToString(let positive, let negative, let notANumber) = output.settings.floats
    else { throw unable(number, for: key) }
    return number.isNaN ? notANumber : number > 0 ? positive : negative
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
  func check(_ number: some FixedWidthInteger, for key: @autoclosure () -> (any CodingKey)?) throws
  {
    if output.settings.isCanonical { try checkExactness(number, for: key()) }
  }

  /// The numbers of RFC 8785 are doubles, which are integers with gaps beyond 2^53.
  private func checkExactness(_ number: some FixedWidthInteger, for key: (any CodingKey)?) throws {
    guard number.magnitude <= 1 << 53 else { throw unable(number, for: key) }
  }
}
