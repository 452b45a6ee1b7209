/// A document that is being decoded: its text, the index of its values, and the settings.
///
/// Decoders and containers share it, on one thread.
final class JSONDocument {
  private(set) var text: JSONText
  /// Keeps the bytes of the text; `nil` while the caller of the reader does.
  private var copy: JSONTextCopy?
  let words: [UInt64]
  let settings: JSONSettings
  /// The position at which the text begins, for a part of a document that arrives in pieces.
  let origin: TextOrigin
  /// The keys from the root of the whole document to the values in this part of it.
  let outerPath: [any CodingKey]
  /// The forms of types that have been decoded, by some bits of their identifiers.
  private(set) var forms: [(type: ObjectIdentifier, form: TypeForm)] = Array(
    repeating: (ObjectIdentifier(Never.self), .itself), count: 32)

  init(
    _ text: JSONText, _ words: [UInt64], _ settings: JSONSettings, _ origin: TextOrigin,
    outerPath: [any CodingKey] = []
  ) {
    self.text = text
    self.words = words
    self.settings = settings
    self.origin = origin
    self.outerPath = outerPath
  }

  /// Sets the text, which has moved since the last use, unless the document has a copy of it.
  func use(_ text: JSONText) { if copy == nil { self.text = text } }

  /// Copies the text, for decoders that are used after the caller's data is gone.
  func keepText() {
    guard copy == nil else { return }
    let copy = JSONTextCopy(of: text)
    self.copy = copy
    text = copy.text
  }

  /// Remembers the form of a type.
  func noteForm(_ form: TypeForm, of type: ObjectIdentifier, in slot: Int) {
    // A change in place would need an exclusivity check at each reading.
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

  /// Returns the word behind a value.
  @inline(__always)
  func next(_ word: Int) -> Int {
    self[word].isContainer ? end(of: word) : word &+ 1
  }

  /// Returns the word behind a container.
  @inline(__always)
  func end(of container: Int) -> Int {
    Int(truncatingIfNeeded: words[container &+ 1] & 0xFFFF_FFFF)
  }

  /// Returns the number of elements or members of a container.
  @inline(__always)
  func count(of container: Int) -> Int { Int(truncatingIfNeeded: words[container &+ 1] &>> 32) }

  /// Returns the text of a string.
  @inline(__always)
  func string(_ word: IndexWord) -> String {
    word.kind == .escaped
      ? text.unescaped(at: word.offset, word.length)
      : text.string(at: word.offset, word.length, isASCII: word.kind == .ascii)
  }
}
