// Secrets whose name is a value itself: `{"name": "password", "value": "x"}`, `<input name="csrf"
// value="x">`, `<key>token</key><string>x</string>`, and the parts of multipart bodies.

extension SecretText {
  /// The state of an object, a tag, or the text as a whole.
  struct Scope {
    /// Whether a member such as `"name": "password"` says that this is about a secret.
    var isNamed = false
    /// Whether the name is that of a part of a multipart body, whose content follows a blank line.
    var isPart = false
    /// A value that came before its name.
    var candidate: Range<Int>?
    /// The value of a `key` that is the name of a secret if there is a value, too, and otherwise a
    /// secret.
    var key: Range<Int>?
  }

  /// A tag of XML or HTML.
  struct Tag {
    var name: Range<Int>
    var scope = Scope()
  }

  /// Deeper objects share a scope.
  private static let deepest = 64

  mutating func openScope() {
    place += 1
    depth += 1
    if depth < Self.deepest { scopes.append(Scope()) }
  }

  mutating func closeScope() {
    place += 1
    guard depth > 0 else { return }
    if depth < Self.deepest, let scope = scopes.popLast() { end(scope) }
    depth -= 1
  }

  /// Ends the scopes that the text leaves open.
  mutating func endScopes() { for scope in scopes + [tag?.scope ?? Scope()] { end(scope) } }

  private mutating func end(_ scope: Scope) { if let key = scope.key { noteEarlier(key) } }

  private var scope: Scope {
    get { tag?.scope ?? scopes[scopes.count - 1] }
    set { if tag == nil { scopes[scopes.count - 1] = newValue } else { tag?.scope = newValue } }
  }

  /// Whether the place is in an object or a tag, which ends what a name is for.
  private var isInScope: Bool { tag != nil || scopes.count > 1 }

  private static let naming = table(
    "name key id field header param parameter property variable attribute")
  private static let values = table("value val values content default defaultvalue stringvalue")

  private static func table(_ names: String) -> Set<[UInt8]> {
    Set(names.split(separator: " ").map { Array($0.utf8) })
  }

  /// Notes the name of a secret in a value, and steps over the value that belongs to it.
  mutating func readNaming(_ name: Name, _ isLine: Bool) {
    guard (2...16).contains(name.range.count) else { return }
    let word = Secrets.folded(bytes[name.range])
    if Self.naming.contains(word) {
      guard let value = value(of: name, isLine), isNameOfSecret(value.range) else {
        if !isInScope { scope = Scope() }
        return
      }
      scope.isNamed = true
      scope.isPart = !isInScope && isOfPart(name.range)
      if let candidate = scope.candidate { noteEarlier(candidate) }
    } else if Self.values.contains(word) {
      readNamedValue(name, isLine)
    }
  }

  /// Reads `"key": "password"`, where the key may be a name or a secret itself. Returns whether it
  /// is the name of a secret.
  mutating func readKey(_ name: Name, _ isLine: Bool) -> Bool {
    guard isInScope, Secrets.folded(bytes[name.range]).elementsEqual("key".utf8),
      let value = value(of: name, isLine), value.isString, isNameOfSecret(value.range)
    else { return false }
    if scope.candidate == nil { scope.key = value.range }
    readNaming(name, isLine)
    return true
  }

  private mutating func readNamedValue(_ name: Name, _ isLine: Bool) {
    guard scope.isNamed || isInScope, let value = value(of: name, isLine) else { return }
    if scope.isNamed {
      scope.key = nil
      read(value)
      if !isInScope { scope = Scope() }
    } else if !value.isStructure {
      scope.candidate = value.range
    }
  }

  /// Whether a value is the name of a secret, and not a text.
  private func isNameOfSecret(_ value: Range<Int>) -> Bool {
    (1...64).contains(value.count)
      && bytes[value].allSatisfy {
        $0.isASCIILetter || $0.isASCIIDigit || "-_.[]:$".utf8.contains($0)
      } && isSecret(value)
  }
}

extension SecretText {
  /// Whether a name is that in `Content-Disposition: form-data; name="token"` (RFC 7578).
  private func isOfPart(_ name: Range<Int>) -> Bool {
    let before = bytes[max(0, name.lowerBound - 64)..<name.lowerBound]
    return before.lazy.reversed().prefix { $0 != 0x0A }.contains(UInt8(ascii: ";"))
      && before.firstRange(of: Array("form-data".utf8)) != nil
  }

  /// Steps over the content of a part that has the name of a secret.
  mutating func readPart() {
    let isBlankLine = bytes[place...].prefix(4).elementsEqual("\r\n\r\n".utf8)
    guard isBlankLine, scopes[0].isPart else {
      place += 1
      return
    }
    scopes[0] = Scope()
    let boundary = Array("\r\n--".utf8)
    let start = place + 4
    let end = bytes[start...].firstRange(of: boundary)?.lowerBound ?? bytes.count
    found(start..<end)
    place = end
  }
}

extension SecretText {
  mutating func openTag() {
    place += 1
    let end = bytes[place...].firstIndex { $0 <= 0x20 || "<>/=".utf8.contains($0) } ?? bytes.count
    // Its attributes are pairs.
    tag = place < end ? Tag(name: place..<min(end, place + Self.longestName)) : nil
    place = end
  }

  /// Steps over the content of an element if that is a secret.
  mutating func closeTag() {
    let isEmpty = place > 0 && bytes[place - 1] == UInt8(ascii: "/")
    place += 1
    guard let tag = tag.take() else { return }
    end(tag.scope)
    guard !isEmpty else { return }
    let word = Secrets.folded(bytes[tag.name])
    let isBehindName = isBehindNameElement
    isBehindNameElement = false
    if isSecret(tag.name), !isWord(tag.name) {
      found(place..<endOfElementText)
    } else if ["name", "key"].contains(where: { word.elementsEqual($0.utf8) }) {
      let end = bytes[place...].prefix(65).firstIndex(of: UInt8(ascii: "<")) ?? place
      isBehindNameElement = isNameOfSecret(place..<end)
    } else if isBehindName, Self.valueElements.contains(word) {
      found(place..<endOfElementText)
    } else if tag.scope.isNamed, Self.namedElements.contains(word) {
      found(place..<(bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count))
    }
  }

  private static let valueElements = table("value val string data integer default")
  /// Elements whose text is the value for an attribute with a name.
  private static let namedElements = table(
    "string entry property setting item field variable textarea header config attribute value data"
      + " parameter constant")

  /// The place of the next `</`.
  private var endOfElementText: Int {
    var end = place
    while let byte = byte(end), byte != UInt8(ascii: "<") || self.byte(end + 1) != UInt8(ascii: "/")
    {
      end += 1
    }
    return end
  }
}
