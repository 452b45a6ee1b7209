/// One word of the index: the kind of a value, its offset, and the length of its text.
///
/// A container has a second word: the number of the word behind the container, and the number of
/// elements or members.
struct IndexWord {
  let bits: UInt64

  /// The kind of a value.
  enum Kind: UInt8 {
    case null, `false`, `true`
    /// A number of digits, with or without a minus sign.
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
    // `Kind(rawValue:)` isn't inlined.
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

  /// The offset of the value; that of a string is the byte behind its quote.
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

  /// The offset of the text of the value, the quote of a string included.
  var start: Int { isString ? offset - 1 : offset }
}
