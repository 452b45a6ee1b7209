/// An element, an attribute or a run of text, in 16 bytes. Nodes lie in document order: the attributes
/// of an element behind it, then what is in it.
struct TreeNode: Sendable {
  enum Kind: UInt32 {
    case element = 0
    case attribute = 1
    case text = 2
  }

  /// Kind and marks in the high bits, the expanded name in the others.
  private var bits: UInt32
  /// Where the text is: an attribute's value, a text's characters, or the text of an element that
  /// holds nothing but text. Otherwise where the element's tag is.
  var start: UInt32
  var length: UInt32 = 0
  /// The node behind the last one in this node.
  var end: UInt32 = 0

  init(_ kind: Kind, name: UInt32 = 0, start: Int, length: Int = 0, marks: Marks = []) {
    bits = kind.rawValue << 30 | marks.rawValue | name
    self.start = UInt32(truncatingIfNeeded: start)
    self.length = UInt32(truncatingIfNeeded: length)
  }

  var kind: Kind { Kind(rawValue: bits >> 30) ?? .text }

  @inline(__always)
  var isElement: Bool { bits >> 30 == 0 }

  @inline(__always)
  var isAttribute: Bool { bits >> 30 == 1 }

  @inline(__always)
  var isText: Bool { bits >> 30 == 2 }

  /// What is to be known of a text.
  struct Marks: OptionSet {
    var rawValue: UInt32

    /// The text lies in the side buffer and not in the document.
    static let side = Marks(rawValue: 1 << 29)
    /// Some of the text, or all of it where it lies in the document, comes from CDATA sections.
    static let literal = Marks(rawValue: 1 << 28)
    /// The text is in an element with `xml:space="preserve"`.
    static let preserved = Marks(rawValue: 1 << 27)
  }

  @inline(__always)
  var marks: Marks {
    get { Marks(rawValue: bits & (7 << 27)) }
    set { bits = bits & ~(7 << 27) | newValue.rawValue }
  }

  /// The expanded name's number.
  @inline(__always)
  var name: UInt32 { bits & (1 << 27 - 1) }

  /// The most names there may be.
  static let nameLimit = 1 << 27
}
