/// The parts of an array or an object that can't be written one after the other.
struct LooseParts {
  /// The text up to the last element that was written before.
  var prefix: [UInt8] = []
  /// The number of elements in the prefix.
  var prefixCount = 0
  private(set) var parts: [Part] = []
  /// The positions of the parts by their names, if there are many.
  private var positions: [String: Int] = [:]

  /// The most parts whose names are compared one by one.
  private static let limit = 32

  struct Part {
    let name: String?
    var content: Content
  }

  enum Content {
    case text([UInt8])
    case container(JSONValueEncoder)
  }
}

extension LooseParts {
  var count: Int { prefixCount + parts.count }

  /// Returns the position of the part with a name.
  mutating func position(of name: String) -> Int? {
    guard parts.count > Self.limit else { return parts.firstIndex { $0.name == name } }
    for position in positions.count..<parts.count {
      if let name = parts[position].name { positions[name] = position }
    }
    return positions[name]
  }

  /// Puts a part in the place of the one with its name, or else at the end.
  mutating func put(_ content: Content, named name: String?) {
    if let name, let position = position(of: name) {
      parts[position].content = content
    } else {
      parts.append(Part(name: name, content: content))
    }
  }

  /// Inserts an element, or appends it if there are fewer.
  mutating func insert(_ text: [UInt8], at position: Int) {
    let place = min(max(position - prefixCount, 0), parts.count)
    parts.insert(Part(name: nil, content: .text(text)), at: place)
  }

  func sorted(by precedes: (String, String) -> Bool) -> [Part] {
    parts.sorted { precedes($0.name ?? "", $1.name ?? "") }
  }
}

extension JSONValueEncoder {
  /// Keeps the parts one by one from now on.
  func loosen() {
    guard state == .open || state == .busy else { return }
    let text = output.text.bytes(start..<(state == .busy ? part : output.text.count))
    if form == .object {
      for part in JSONParts(of: text) { loose.put(.text(Array(part.value)), named: part.name) }
    } else {
      loose.prefix = text
      loose.prefixCount = count
    }
    if state == .open { output.truncate(to: start) }
    state = .loose
  }

  /// Adds a part that is complete.
  func put(_ text: [UInt8], named name: String?) {
    switch state {
    case .closed: return
    case .busy: loosen()
    case .open:
      if let name, begin(name) { return writeBegun(name) { $0.append(text) } }
      loosen()
    case .loose: break
    }
    loose.put(.text(text), named: name)
    count = loose.count
  }

  /// Inserts an element.
  func insert(_ text: [UInt8], at position: Int) {
    guard state != .closed else { return }
    loosen()
    loose.insert(text, at: position)
    count = loose.count
  }

  /// Returns a container inside this one. It stays open until this one is complete, as users may
  /// write to it at any time until then.
  func nested(_ form: Form, named name: String?, for key: any CodingKey) -> JSONValueEncoder {
    loosen()
    let old = name.flatMap { loose.position(of: $0) }.map { loose.parts[$0].content }
    if case .container(let container) = old, container.form == form { return container }
    let container = JSONValueEncoder(
      JSONOutput(beside: output), in: self, for: key, level: level + 1, isNested: true)
    container.open(form)
    if container.output.isTooDeep { output.isTooDeep = true }
    if case .text(let text) = old { container.reopen(text) }
    guard state != .closed else {
      container.state = .closed
      return container
    }
    loose.put(.container(container), named: name)
    count = loose.count
    return container
  }

  /// Takes over the parts of a text that has been written before, if it is of the same form.
  private func reopen(_ text: [UInt8]) {
    guard text.first == container.opening else { return }
    loosen()
    for part in JSONParts(of: text) { loose.put(.text(Array(part.value)), named: part.name) }
    count = loose.count
  }

  /// Writes the parts to the end of the output.
  func writeLooseParts() {
    let loose = loose
    // The containers in it have this one as their parent.
    self.loose = LooseParts()
    output.append(loose.prefix)
    let isSorted = form == .object && output.settings.isSorted
    let parts = isSorted ? loose.sorted(by: output.settings.precedes) : loose.parts
    for (position, part) in parts.enumerated() {
      let text: [UInt8]
      switch part.content {
      case .text(let bytes): text = bytes
      case .container(let container):
        _ = container.finish()
        text = container.output.text.bytes
        if container.output.isTooDeep { output.isTooDeep = true }
      }
      let isFirst = loose.prefixCount + position == 0
      output.writePart(of: container, isFirst: isFirst, level: level + 1) {
        if let name = part.name { $0.append(name: name, output.settings) }
        $0.append(text)
      }
    }
    output.close(container, isEmpty: loose.count == 0, level: level)
  }
}

/// The elements or members of an array or an object that this module has written; it may lack its
/// end.
struct JSONParts: Sequence, IteratorProtocol {
  private let text: [UInt8]
  private let isObject: Bool
  private var position: Int

  init(of text: [UInt8]) {
    self.text = text
    position = text.isEmpty ? 0 : 1
    isObject = text.first == UInt8(ascii: "{")
  }

  /// Returns the next element or member, which begins at `start`.
  mutating func next() -> (start: Int, name: String?, value: ArraySlice<UInt8>)? {
    skip { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ",") }
    let start = position
    let first = value()
    guard !first.isEmpty else { return nil }
    guard isObject else { return (start, nil, first) }
    skip { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }
    return (start, Self.unescaped(first.dropFirst().dropLast()), value())
  }

  private static func unescaped(_ name: ArraySlice<UInt8>) -> String {
    unsafe name.withUnsafeBytes { bytes in
      unsafe JSONText(bytes).map { $0.unescaped(at: 0, $0.count) } ?? ""
    }
  }

  private mutating func skip(while isSkipped: (UInt8) -> Bool) {
    while position < text.count, isSkipped(text[position]) { position += 1 }
  }

  /// Returns the value that begins at the position, and goes behind it.
  private mutating func value() -> ArraySlice<UInt8> {
    let start = position
    var depth = 0
    var isText = false
    while position < text.count {
      let byte = text[position]
      if isText {
        if byte == UInt8(ascii: "\\") { position += 1 }
        isText = byte != UInt8(ascii: "\"")
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return text[start..<position] }
          depth -= 1
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\n"):
          if depth == 0 { return text[start..<position] }
        default: break
        }
      }
      position += 1
    }
    return text[start...]
  }
}
