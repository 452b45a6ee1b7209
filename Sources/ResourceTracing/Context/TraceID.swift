import ResourceLoading

/// The identifier of a trace: 16 bytes, which aren't all zero (W3C Trace Context section 3.2.2.3).
public struct TraceID: Sendable, Hashable {
  /// The first eight bytes.
  public let high: UInt64
  /// The last eight bytes, which are used for sampling.
  public let low: UInt64

  /// Creates an identifier.
  ///
  /// - Parameters:
  ///   - high: The first eight bytes.
  ///   - low: The last eight bytes.
  /// - Returns: `nil` if all bytes are zero.
  public init?(high: UInt64, low: UInt64) {
    guard high | low != 0 else { return nil }
    self.high = high
    self.low = low
  }

  package init(using generator: inout some RandomNumberGenerator) {
    high = generator.next()
    low = max(1, generator.next())
  }
}

extension TraceID: LosslessStringConvertible {
  /// Reads 32 hexadecimal digits in lower case; `nil` for anything else, and if all are zero.
  public init?(_ description: String) {
    let digits = description.utf8
    guard digits.count == 32, let high = UInt64(hexadecimal: digits.prefix(16)),
      let low = UInt64(hexadecimal: digits.suffix(16))
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The identifier as 32 hexadecimal digits.
  public var description: String {
    var digits = [UInt8](repeating: 0, count: 32)
    high.writeHexadecimal(to: &digits, at: 0)
    low.writeHexadecimal(to: &digits, at: 16)
    return String(decoding: digits, as: UTF8.self)
  }
}

extension TraceID {
  init(_ trace: LoadEvent.Trace) { (high, low) = (trace.high, trace.low) }
}

/// The identifier of a span: 8 bytes, which aren't all zero (W3C Trace Context section 3.2.2.4).
public struct SpanID: Sendable, Hashable {
  /// The bytes, the first one in the highest bits.
  public let rawValue: UInt64

  /// Creates an identifier.
  ///
  /// - Parameter rawValue: The bytes, the first one in the highest bits.
  /// - Returns: `nil` if all bytes are zero.
  public init?(rawValue: UInt64) {
    guard rawValue != 0 else { return nil }
    self.rawValue = rawValue
  }

  package init(using generator: inout some RandomNumberGenerator) {
    rawValue = max(1, generator.next())
  }
}

extension SpanID: LosslessStringConvertible {
  /// Reads 16 hexadecimal digits in lower case; `nil` for anything else, and if all are zero.
  public init?(_ description: String) {
    guard description.utf8.count == 16, let value = UInt64(hexadecimal: description.utf8) else {
      return nil
    }
    self.init(rawValue: value)
  }

  /// The identifier as 16 hexadecimal digits.
  public var description: String {
    var digits = [UInt8](repeating: 0, count: 16)
    rawValue.writeHexadecimal(to: &digits, at: 0)
    return String(decoding: digits, as: UTF8.self)
  }
}

extension SpanID {
  init(_ trace: LoadEvent.Trace) { rawValue = trace.span }
}

extension UInt64 {
  /// Reads hexadecimal digits in lower case, at most 16; `nil` for anything else.
  init?(hexadecimal digits: some Sequence<UInt8>) {
    self = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = self << 4 | UInt64(digit & 0x0F)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): self = self << 4 | UInt64(digit - 0x57)
      default: return nil
      }
    }
  }

  /// Writes 16 hexadecimal digits.
  func writeHexadecimal(to bytes: inout [UInt8], at offset: Int) {
    var rest = self
    for place in (offset..<offset + 16).reversed() {
      let digit = UInt8(truncatingIfNeeded: rest & 0x0F)
      bytes[place] = digit < 10 ? digit | 0x30 : digit + 0x57
      rest >>= 4
    }
  }
}
