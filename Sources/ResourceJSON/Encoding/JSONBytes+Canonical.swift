extension JSONBytes {
  /// Appends a finite number as ECMAScript's `Number::toString` writes it, and with it RFC 8785.
  mutating func append(canonical number: Double) {
    // Zero has no sign there.
    guard number != 0 else { return append(UInt8(ascii: "0")) }
    if number < 0 { append(UInt8(ascii: "-")) }
    // The shortest digits are the same; their layout isn't.
    let (digits, point) = Self.digits(of: number.magnitude.description)
    switch point {
    case digits.count...21:
      append(digits)
      append(zeros: point - digits.count)
    case 1...21:
      append(Array(digits[..<point]))
      append(UInt8(ascii: "."))
      append(Array(digits[point...]))
    case -5...0:
      append("0.")
      append(zeros: -point)
      append(digits)
    default:
      append(digits[0])
      if digits.count > 1 {
        append(UInt8(ascii: "."))
        append(Array(digits[1...]))
      }
      append(ascii: point > 0 ? "e+\(point - 1)" : "e\(point - 1)")
    }
  }

  private mutating func append(zeros count: Int) {
    append([UInt8](repeating: UInt8(ascii: "0"), count: count))
  }

  /// Returns the digits of a description, from the first to the last that isn't zero, and the
  /// position of the point in them. It may lie before or behind them.
  private static func digits(of description: String) -> (digits: [UInt8], point: Int) {
    let parts = description.split(separator: "e")
    let halves = parts[0].split(separator: ".")
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let fraction = halves.count > 1 ? halves[1] : ""
    let all = Array((halves[0] + fraction).utf8)
    let zero = UInt8(ascii: "0")
    let leading = all.prefix { $0 == zero }.count
    let trailing = all.reversed().prefix { $0 == zero }.count
    return (Array(all[leading..<all.count - trailing]), halves[0].utf8.count + exponent - leading)
  }
}
