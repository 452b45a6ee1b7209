/// The names and namespaces of a document, their pairs, and the current binding of each prefix.
struct NamespaceTable: Sendable {
  /// A qualified name with a namespace that it has in the document.
  struct Expanded: Hashable, Sendable {
    var name: UInt32
    /// In `uris`; 0 is no namespace.
    var uri: UInt32
  }

  var names = NameTable()
  private(set) var uris = NameTable()
  /// The texts of the URIs. Names share them, because a URI may be as long as the document.
  private var uriTexts: [String] = []
  private(set) var expanded: [Expanded] = []

  private var numbers: [Expanded: UInt32] = [:]
  /// The last expanded name of each name, as an element and as an attribute, alternating.
  private var recent: [UInt32] = []
  /// By prefix: the URI; 0 if the prefix isn't bound.
  private var bindings: [UInt32] = []
  private var undo: [(prefix: UInt32, uri: UInt32)] = []

  let xml: UInt32
  let xmlns: UInt32
  let xmlSpace: UInt32
  private let xmlURI: UInt32
  private let xmlnsURI: UInt32

  init() {
    xml = names.intern("xml")
    xmlns = names.intern("xmlns")
    xmlSpace = names.intern("xml:space")
    xmlURI = uris.intern("http://www.w3.org/XML/1998/namespace")
    xmlnsURI = uris.intern("http://www.w3.org/2000/xmlns/")
    bind(xml, to: xmlURI)
    bind(xmlns, to: xmlnsURI)
  }
}

extension NamespaceTable {
  /// The number of bindings to undo, for ``unbind(to:)`` at the end of the element.
  var mark: Int { undo.count }

  /// Binds a prefix to a namespace; `prefix` 0 is the default namespace.
  mutating func declare(
    _ prefix: UInt32, _ bytes: Span<UInt8>, at offset: Int
  ) throws(Failure) {
    let uri = uris.intern(bytes, 0, bytes.count)
    while uriTexts.count < uris.entries.count {
      uriTexts.append(uris.string(UInt32(uriTexts.count)))
    }
    if prefix == xmlns || uri == xmlnsURI {
      throw Failure(.namespace, "the prefix xmlns and its namespace are reserved", at: offset)
    }
    guard (prefix == xml) == (uri == xmlURI) else {
      throw Failure(.namespace, "the prefix xml and its namespace are reserved", at: offset)
    }
    if prefix != 0, uri == 0 {
      throw Failure(.namespace, "a prefix can't be unbound", at: offset)
    }
    bind(prefix, to: uri)
  }

  mutating func unbind(to mark: Int) {
    while undo.count > mark, let (prefix, uri) = undo.popLast() {
      bindings[Int(prefix)] = uri
    }
  }

  private mutating func bind(_ prefix: UInt32, to uri: UInt32) {
    while bindings.count <= Int(prefix) { bindings.append(0) }
    undo.append((prefix, bindings[Int(prefix)]))
    bindings[Int(prefix)] = uri
  }
}

extension NamespaceTable {
  @inline(__always)
  mutating func element(_ name: UInt32, at offset: Int) throws(Failure) -> UInt32 {
    let prefix = names.entries[Int(name)].prefix
    guard prefix != xmlns else {
      throw Failure(.namespace, "an element can't have the prefix xmlns", at: offset)
    }
    let uri = Int(prefix) < bindings.count ? bindings[Int(prefix)] : 0
    if uri == 0, prefix != 0 { throw unbound(prefix, at: offset) }
    return number(name, uri, role: 0)
  }

  @inline(__always)
  mutating func attribute(_ name: UInt32, at offset: Int) throws(Failure) -> UInt32 {
    let prefix = names.entries[Int(name)].prefix
    if name == xmlns { return number(name, xmlnsURI, role: 1) }
    guard prefix != 0 else { return number(name, 0, role: 1) }
    let uri = Int(prefix) < bindings.count ? bindings[Int(prefix)] : 0
    guard uri != 0 else { throw unbound(prefix, at: offset) }
    return number(name, uri, role: 1)
  }

  /// Returns the number of an attribute's namespace and local name, whatever its prefix.
  mutating func identity(of id: UInt32) -> UInt32 {
    let pair = expanded[Int(id)]
    return number(of: Expanded(name: names.entries[Int(pair.name)].local, uri: pair.uri))
  }

  /// Returns the number of a pair. Most names have one namespace throughout, so the last result is
  /// tried first.
  @inline(__always)
  mutating func number(_ name: UInt32, _ uri: UInt32, role: Int) -> UInt32 {
    let slot = Int(name) &* 2 &+ role
    if slot < recent.count {
      let known = recent[slot]
      if Int(known) < expanded.count, expanded[Int(known)] == Expanded(name: name, uri: uri) {
        return known
      }
    }
    let id = number(of: Expanded(name: name, uri: uri))
    while recent.count <= slot { recent.append(.max) }
    recent[slot] = id
    return id
  }

  private mutating func number(of pair: Expanded) -> UInt32 {
    if let id = numbers[pair] { return id }
    let id = UInt32(expanded.count)
    expanded.append(pair)
    numbers[pair] = id
    return id
  }

  private func unbound(_ prefix: UInt32, at offset: Int) -> Failure {
    Failure(.namespace, "the prefix isn't bound", at: offset, name: names.string(prefix))
  }

  /// Returns the URI that a number stands for.
  private func text(ofURI uri: UInt32) -> String {
    // The URIs of `xml` and `xmlns` exist before any is declared.
    Int(uri) < uriTexts.count ? uriTexts[Int(uri)] : uris.string(uri)
  }

  /// The number of a name or a part of one; `nil` if the document doesn't have it.
  func number(of name: String) -> UInt32? { names.find(name) }

  /// The number of a namespace; `nil` if the document doesn't have it.
  func number(ofURI namespace: String) -> UInt32? {
    namespace.isEmpty ? nil : uris.find(namespace)
  }

  /// Whether an expanded name has a local name.
  func hasLocal(_ local: UInt32, _ id: UInt32) -> Bool {
    names.entries[Int(expanded[Int(id)].name)].local == local
  }

  /// Returns whether any name is in a namespace.
  func hasName(in namespace: String) -> Bool {
    guard let uri = uris.find(namespace) else { return false }
    return expanded.contains { $0.uri == uri }
  }

  /// Returns the name that a number stands for.
  func name(_ id: UInt32) -> XMLName {
    let pair = expanded[Int(id)]
    let local = names.entries[Int(pair.name)].local
    return XMLName(
      qualified: names.string(pair.name), local: names.string(local),
      namespace: pair.uri == 0 ? nil : text(ofURI: pair.uri))
  }
}
