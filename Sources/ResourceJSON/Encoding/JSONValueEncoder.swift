/// The encoder of one value, and the array or the object that the value turns out to be.
///
/// What is encoded goes straight to the end of the output. Where that isn't possible, since a
/// nested container isn't complete or a name comes again, the parts are kept one by one
/// (``LooseParts``) and written at the end.
final class JSONValueEncoder {
  let output: JSONOutput
  /// The encoder of the value around this one.
  private var parent: JSONValueEncoder?
  /// The key of the value in its parent.
  private var key: (any CodingKey)?
  /// The position of the value in its parent, if it is an element of a list.
  private var position: Int?
  /// The number of containers around the value.
  let level: Int
  /// Whether this is a nested container. In `JSONEncoder` the paths of the values in it lack its
  /// key, and so they do here.
  private let isNested: Bool
  /// What has been encoded.
  private(set) var form = Form.nothing
  var state = State.open
  /// Where in the output the value begins.
  private(set) var start: Int
  /// Where in the output the element or member begins that is being encoded.
  private(set) var part = 0
  /// The number of elements or members that are complete.
  var count = 0
  /// The names of the members, unless they are known by their table.
  private var names = MemberNames()
  /// The table with the names of all members so far; `nil` if there are none, or others.
  private var table: NameTable?
  /// A bit for each of those members, by the position of its name in the table.
  private var known: UInt64 = 0
  var loose = LooseParts()
  /// Whether the container for a single value has got one.
  private var isSingle = false
  /// An encoder for the next value inside this one.
  private var spare: JSONValueEncoder?

  enum Form { case nothing, scalar, array, object }

  enum State {
    /// The end of the value is that of the output.
    case open
    /// A value inside it is being encoded.
    case busy
    /// Its parts are kept one by one.
    case loose
    /// The value is complete. What comes later has no effect.
    case closed
  }

  init(
    _ output: JSONOutput, in parent: JSONValueEncoder? = nil, for key: (any CodingKey)? = nil,
    level: Int = 0, isNested: Bool = false
  ) {
    self.output = output
    self.parent = parent
    self.key = key
    self.level = level
    self.isNested = isNested
    start = output.text.count
  }
}

extension JSONValueEncoder: Encoder {
  /// The keys from the root to the value, as `JSONEncoder` has them: without those of nested
  /// containers.
  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var encoder: JSONValueEncoder? = self
    while let current = encoder {
      if !current.isNested, let key = current.key { path.append(key) }
      if let position = current.position { path.append(ElementKey(position: position)) }
      encoder = current.parent
    }
    return path.reversed()
  }

  /// The keys from the root to the container.
  var containerPath: [any CodingKey] {
    guard isNested, let parent, let key else { return codingPath }
    return parent.containerPath + [key]
  }

  var userInfo: [CodingUserInfoKey: Any] { output.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    open(.object)
    return KeyedEncodingContainer(KeyedMembers(of: self, owner: nil))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    open(.array)
    return UnkeyedElements(array: self, owner: nil)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValue(encoder: self, owner: nil)
  }
}

extension JSONValueEncoder {
  /// Begins an array or an object, unless that has been done.
  func open(_ form: Form) {
    isSingle = false
    guard self.form != form else { return }
    precondition(
      self.form == .nothing, "a value can't be encoded as an array, an object and a scalar at once")
    self.form = form
    checkDepth(level + 1)
  }

  func checkDepth(_ level: Int) {
    if level >= JSONDepthError.limit { output.isTooDeep = true }
  }

  var container: JSONBytes.Container { form == .object ? .object : .array }

  /// Ends the value.
  ///
  /// - Returns: Whether anything was encoded.
  func finish() -> Bool {
    if state == .loose {
      writeLooseParts()
    } else if form == .object || form == .array {
      if form == .object, output.settings.isSorted { sortMembers() }
      output.close(container, isEmpty: count == 0, level: level)
    }
    state = .closed
    return form != .nothing
  }

  /// Ends the value; one that has encoded nothing is an empty object.
  func finishOrEmpty() {
    if form == .nothing { open(.object) }
    _ = finish()
  }

  /// Gives up what has been encoded.
  func abandon() {
    if state == .loose { loose = LooseParts() }
    state = .closed
  }

  private func sortMembers() {
    guard count > 1 else { return }
    let text = output.text.bytes(start..<output.text.count)
    let members = Array(JSONParts(of: text))
    let sorted = members.sorted { output.settings.precedes($0.name ?? "", $1.name ?? "") }
    output.truncate(to: start)
    for (position, member) in sorted.enumerated() {
      output.writePart(of: .object, isFirst: position == 0, level: level + 1) {
        $0.append(text[member.start..<member.value.endIndex])
      }
    }
  }
}

extension JSONValueEncoder {
  /// Writes the next element by a closure.
  @inline(__always)
  func writeElement(_ body: (inout JSONBytes) -> Void) {
    guard state == .open else { return writeApart(named: nil, body) }
    output.writePart(of: .array, isFirst: count == 0, level: level &+ 1, body)
    count &+= 1
  }

  /// Writes a member by a closure.
  func writeMember(_ name: String, _ body: (inout JSONBytes) -> Void) {
    guard begin(name) else { return writeApart(named: name, body) }
    writeBegun(name, body)
  }

  func writeBegun(_ name: String, _ body: (inout JSONBytes) -> Void) {
    output.writePart(of: .object, isFirst: count == 0, level: level &+ 1) {
      $0.append(name: name, output.settings)
      body(&$0)
    }
    count &+= 1
  }

  @inline(never)
  private func writeApart(named name: String?, _ body: (inout JSONBytes) -> Void) {
    var text = JSONBytes()
    body(&text)
    put(text.bytes, named: name)
  }

  /// Begins the next member in the output, whose name and value are written next.
  ///
  /// - Returns: Whether that is possible. It isn't if there is a member with this name.
  func begin(_ name: String) -> Bool {
    guard state == .open else { return false }
    listNames()
    guard !names.insert(name) else { return true }
    loosen()
    return false
  }

  /// Begins the next member in the output, if its name is in a table and new.
  ///
  /// - Parameter position: The position in the table behind the name that was found last.
  /// - Returns: The position of the name.
  @inline(__always)
  func begin(_ key: String, in table: NameTable, _ position: inout Int) -> Int? {
    guard state == .open, let found = table.find(key, from: position, output.settings) else {
      return nil
    }
    position = found &+ 1
    if known == 0, names.isEmpty, self.table !== table { self.table = table }
    let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: found)
    guard self.table === table, known & bit == 0 else { return nil }
    known |= bit
    return found
  }

  /// Moves the names of the members to the list, if a table has them.
  @inline(__always)
  private func listNames() {
    if known != 0 { listKnownNames() }
    table = nil
  }

  @inline(never)
  private func listKnownNames() {
    for (position, name) in (table?.names ?? []).enumerated() where known &>> position & 1 == 1 {
      _ = names.insert(name.name)
    }
    known = 0
  }
}

extension JSONValueEncoder {
  /// Encodes a value as the next element.
  @inline(__always)
  func encode<Value: Encodable>(element value: Value, as form: WrittenForm) throws {
    let key = ElementKey(position: count)
    guard state == .open else {
      return try encodeApart(value, as: form, named: nil, for: key)
    }
    let offset = output.text.count
    output.writePart(of: .array, isFirst: count == 0, level: level &+ 1) { _ in }
    try encode(value, as: form, begunAt: offset, named: nil, for: key)
  }

  /// Encodes values as the next elements.
  func encode<Element: Encodable>(elements list: [Element]) throws {
    open(.array)
    let form = output.types.form(of: Element.self)
    guard case .itself = form, state == .open, !list.isEmpty else {
      for element in list { try encode(element: element, as: form) }
      return
    }
    var element = takeEncoder(for: nil)
    defer { giveBack(&element) }
    for value in list {
      guard state == .open, isKnownUniquelyReferenced(&element) else {
        try encode(element: value, as: form)
        continue
      }
      try encode(value, by: element)
    }
  }

  /// Encodes an element by an encoder that has been used for another one.
  @inline(__always)
  private func encode(_ value: some Encodable, by element: JSONValueEncoder) throws {
    if output.isTooDeep { throw JSONDepthError() }
    part = output.text.count
    output.writePart(of: .array, isFirst: count == 0, level: level &+ 1) { _ in }
    state = .busy
    element.reset()
    element.position = count
    do { try value.encode(to: element) } catch {
      element.state = .closed
      takeBackPart()
      throw error
    }
    element.finishOrEmpty()
    completePart(from: element.start, named: nil)
  }

  /// Encodes a value as the member with a name.
  func encode<Value: Encodable>(
    _ value: Value, named name: String, for key: any CodingKey
  ) throws {
    let form = output.types.form(of: Value.self)
    guard begin(name) else { return try encodeApart(value, as: form, named: name, for: key) }
    let offset = output.text.count
    output.writePart(of: .object, isFirst: count == 0, level: level &+ 1) {
      $0.append(name: name, output.settings)
    }
    do {
      try encode(value, as: form, begunAt: offset, named: name, for: key)
    } catch {
      if state == .open { names.removeLast() }
      throw error
    }
  }

  /// Encodes a value as the member with a name of a table.
  @inline(__always)
  func encode<Value: Encodable>(
    _ value: Value, _ name: Int, of table: NameTable, for key: any CodingKey
  ) throws {
    let offset = output.text.count
    output.writePart(of: .object, isFirst: count == 0, level: level &+ 1) {
      $0.append(table.names[name].label)
    }
    do {
      try encode(
        value, as: output.types.form(of: Value.self), begunAt: offset,
        named: table.names[name].name, for: key)
    } catch {
      if state == .open { known &= ~(1 &<< UInt64(truncatingIfNeeded: name)) }
      throw error
    }
  }

  /// Encodes a value whose name has been written.
  @inline(__always)
  private func encode(
    _ value: some Encodable, as form: WrittenForm, begunAt offset: Int,
    named name: @autoclosure () -> String?, for key: any CodingKey
  ) throws {
    let valueStart = output.text.count
    part = offset
    state = .busy
    do { try encode(value, as: form, for: key) } catch {
      takeBackPart()
      throw error
    }
    completePart(from: valueStart, named: name())
  }

  @inline(__always)
  private func completePart(from valueStart: Int, named name: @autoclosure () -> String?) {
    if state == .busy {
      state = .open
      count &+= 1
    } else {
      // Something has been written to this container meanwhile.
      let text = output.cut(from: valueStart)
      output.truncate(to: start)
      put(text, named: name())
    }
  }

  private func takeBackPart() {
    guard state == .busy else { return output.truncate(to: start) }
    state = .open
    output.truncate(to: part)
  }

  /// Encodes a value beside the output, and keeps it.
  @inline(never)
  private func encodeApart(
    _ value: some Encodable, as form: WrittenForm, named name: String?, for key: any CodingKey
  ) throws {
    let apart = JSONOutput(beside: output)
    try JSONValueEncoder(apart, in: self, level: level).encode(value, as: form, for: key)
    put(apart.text.bytes, named: name)
  }
}

extension JSONValueEncoder {
  /// Encodes a value as that of this encoder.
  func encode<Value: Encodable>(itself value: Value) throws {
    guard state != .closed else { return }
    let type = output.types.form(of: Value.self)
    switch type {
    case .itself: try value.encode(to: self)
    case .container(let type): try type.encode(value, to: self)
    default:
      guard form == .nothing else { return try value.encode(to: self) }
      try encode(value, as: type, for: nil)
      if form == .nothing { form = .scalar }
    }
  }

  /// Encodes a value as the only one.
  func encode(single value: some Encodable) throws {
    requireFirstValue()
    try encode(itself: value)
    if form == .nothing { open(.object) }
    isSingle = true
  }

  /// Writes the only value by a closure. It doesn't count if there is a container already.
  @inline(__always)
  func writeSingle(_ body: (inout JSONBytes) -> Void) {
    requireFirstValue()
    isSingle = true
    guard form == .nothing, state == .open else { return }
    form = .scalar
    output.write(body)
  }

  @inline(__always)
  private func requireFirstValue() {
    precondition(!isSingle, "a second value in a container for a single one")
  }
}

extension JSONValueEncoder {
  /// Calls a closure with an encoder for a value inside this one, and ends the value.
  func withEncoder(
    for key: (any CodingKey)?, _ body: (JSONValueEncoder) throws -> Void
  ) throws {
    if output.isTooDeep { throw JSONDepthError() }
    var encoder = takeEncoder(for: key)
    defer { giveBack(&encoder) }
    try body(encoder)
    encoder.finishOrEmpty()
  }

  private func takeEncoder(for key: (any CodingKey)?) -> JSONValueEncoder {
    guard let encoder = spare else {
      return JSONValueEncoder(output, in: self, for: key, level: level + 1)
    }
    spare = nil
    encoder.parent = self
    encoder.key = key
    encoder.reset()
    return encoder
  }

  /// Prepares an encoder that has been used for another value.
  @inline(__always)
  private func reset() {
    start = output.text.count
    position = nil
    form = .nothing
    state = .open
    isSingle = false
    count = 0
    known = 0
    if !names.isEmpty { names.removeAll() }
  }

  /// Keeps an encoder for the next value, unless somebody else has kept it.
  private func giveBack(_ encoder: inout JSONValueEncoder) {
    encoder.abandon()
    guard isKnownUniquelyReferenced(&encoder) else { return }
    encoder.parent = nil
    spare = encoder
  }
}
