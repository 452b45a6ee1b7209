/// One word of the index: what a value is, where it begins, and how long its text is.
///
/// A container has a second word. It says at which word the next value stands, and how many elements or members there are.
struct IndexWord {
  let bits: UInt64

  /// What a word stands for.
  enum Kind: UInt8 {
    case null, `false`, `true`
    /// Digits, maybe behind a minus.
    case integer
    /// A number with a fraction or an exponent.
    case real
    /// A string of ASCII alone, without escapes.
    case ascii
    /// A string without escapes.
    case text
    /// A string with escapes.
    case escaped
    case array, object
  }

  /// The longest string or number, in bytes.
  static let maximumLength = 1 << 28 - 1

  @inline(__always)
  init(_ kind: Kind, at offset: Int, length: Int = 0) {
    bits =
      UInt64(kind.rawValue) &<< 60 | UInt64(truncatingIfNeeded: length) &<< 32
      | UInt64(truncatingIfNeeded: offset)
  }

  @inline(__always)
  init(bits: UInt64) { self.bits = bits }

  @inline(__always)
  var kind: Kind {
    // As `Kind(rawValue:)` has it, which isn't inlined.
    switch bits &>> 60 {
    case 1: .false
    case 2: .true
    case 3: .integer
    case 4: .real
    case 5: .ascii
    case 6: .text
    case 7: .escaped
    case 8: .array
    case 9: .object
    default: .null
    }
  }

  /// Where the value begins; that of a string is the byte behind its quote.
  @inline(__always)
  var offset: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }

  @inline(__always)
  var length: Int { Int(truncatingIfNeeded: bits &>> 32 & 0xFFF_FFFF) }

  @inline(__always)
  var isContainer: Bool { bits &>> 60 >= UInt64(Kind.array.rawValue) }

  /// Whether this is a string.
  @inline(__always)
  var isString: Bool {
    let kind = bits &>> 60
    return kind >= UInt64(Kind.ascii.rawValue) && kind <= UInt64(Kind.escaped.rawValue)
  }

  /// Where the text of the value begins, the quote of a string included.
  var start: Int { isString ? offset - 1 : offset }
}
