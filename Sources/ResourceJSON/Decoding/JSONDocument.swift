/// A document that is being decoded: its text, the index of its values, and how to read them.
///
/// Decoders and containers share it. Only what decodes the document touches it, on one thread.
final class JSONDocument {
  private(set) var text: JSONText
  /// Keeps the bytes of the text; `nil` while the caller of the reader does.
  private var copy: JSONTextCopy?
  let words: [UInt64]
  let settings: JSONSettings
  /// The forms of types that have been decoded, by some bits of their identifiers.
  private(set) var forms: [(type: ObjectIdentifier, form: TypeForm)] = Array(
    repeating: (ObjectIdentifier(Never.self), .itself), count: 32)

  init(_ text: JSONText, _ settings: JSONSettings) throws(JSONMistake) {
    self.text = text
    self.settings = settings
    words = try Indexer.index(text)
  }

  /// Takes a copy of the text, for decoders that are used when the caller's data is gone.
  func keepText() {
    let copy = JSONTextCopy(of: text)
    self.copy = copy
    text = copy.text
  }

  /// Remembers the form of a type.
  func noteForm(_ form: TypeForm, of type: ObjectIdentifier, in slot: Int) {
    // Changed in place, the list would have to be guarded at each look.
    var forms = forms
    forms[slot] = (type, form)
    self.forms = forms
  }
}

extension JSONDocument {
  /// The word of the root.
  static let root = 1

  @inline(__always)
  subscript(word: Int) -> IndexWord { IndexWord(bits: words[word]) }

  /// The word behind a value.
  @inline(__always)
  func next(_ word: Int) -> Int {
    self[word].isContainer ? end(of: word) : word &+ 1
  }

  /// The word behind a container.
  @inline(__always)
  func end(of container: Int) -> Int {
    Int(truncatingIfNeeded: words[container &+ 1] & 0xFFFF_FFFF)
  }

  /// How many elements or members a container has.
  @inline(__always)
  func count(of container: Int) -> Int { Int(truncatingIfNeeded: words[container &+ 1] &>> 32) }

  /// The text of a string.
  @inline(__always)
  func string(_ word: IndexWord) -> String {
    word.kind == .escaped
      ? text.unescaped(at: word.offset, word.length)
      : text.string(at: word.offset, word.length, isASCII: word.kind == .ascii)
  }
}
