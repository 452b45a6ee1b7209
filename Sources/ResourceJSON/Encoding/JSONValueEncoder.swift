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
  /// The members, unless the marks of the output have them.
  var members = MemberList()
  /// The table with the names of all members so far, whose marks are in the output; `nil` if there
  /// are none, or others.
  private var names: NameTable?
  private var namesIdentifier: ObjectIdentifier?
  /// A bit for each of those members, by the position of its name in the table.
  private var known: UInt64 = 0
  /// Where in the marks of the output they are. Others may follow, of values that are complete.
  private var marks = 0..<0
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
    if level + 1 >= JSONDepthError.limit { output.isTooDeep = true }
    if state == .open { output.open(form == .object ? "{" : "[") }
  }

  /// Ends the value.
  ///
  /// - Returns: Whether anything was encoded.
  func finish() -> Bool {
    if state == .loose {
      writeLooseParts()
    } else if form == .object {
      if output.settings.isSorted { sortMembers() }
      output.close("}", level: level)
    } else if form == .array {
      output.close("]", level: level)
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
    if !marks.isEmpty {
      output.marks.truncate(to: marks.lowerBound)
      marks = 0..<0
    }
  }

  private func sortMembers() {
    listMembers()
    guard let order = members.sorted(by: output.settings.precedes) else { return }
    let first = members[0].start
    let end = output.text.count
    let text = output.text.cut(from: first)
    for (position, index) in order.enumerated() {
      output.separate(isFirst: position == 0, level: level + 1)
      output.text.append(text[members[index].label - first..<members.end(index, end) - first])
    }
  }
}

extension JSONValueEncoder {
  /// Begins the next element in the output.
  ///
  /// - Returns: Whether that is possible.
  @inline(__always)
  func beginElement() -> Bool {
    guard state == .open else { return false }
    output.separate(isFirst: count == 0, level: level + 1)
    return true
  }

  /// Begins the next member in the output.
  ///
  /// - Returns: Whether that is possible. It isn't if there is a member with this name.
  func beginMember(_ name: String) -> Bool {
    guard state == .open else { return false }
    listMembers()
    let start = output.text.count
    output.separate(isFirst: count == 0, level: level + 1)
    let label = output.text.count
    let isASCII = output.append(name: name)
    let value = output.text.count
    guard members.append(name, isASCII: isASCII, at: start, label: label, value: value) else {
      output.text.truncate(to: start)
      loosen()
      return false
    }
    return true
  }

  /// Begins the next member in the output, if its name is in a table and new.
  ///
  /// - Parameter position: The position in the table behind the name that was found last.
  func beginMember(_ key: String, in table: NameTable, _ position: inout Int) -> Bool {
    guard state == .open, let found = table.find(key, from: position, output) else { return false }
    position = found &+ 1
    if count == 0, members.count == 0 {
      names = table
      namesIdentifier = ObjectIdentifier(table)
      known = 0
      marks = output.marks.count..<output.marks.count
    }
    let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: found)
    guard namesIdentifier == ObjectIdentifier(table), known & bit == 0 else { return false }
    known |= bit
    let start = output.text.count
    output.separate(isFirst: count == 0, level: level &+ 1)
    let label = output.text.count
    table.write(found, to: output.text)
    output.marks.truncate(to: marks.upperBound)
    output.marks.append(
      MemberMark(name: found, start: start, label: label, value: output.text.count))
    marks = marks.lowerBound..<output.marks.count
    return true
  }

  /// Moves the members to the list, if the marks have them.
  @inline(__always)
  func listMembers() {
    if let names { listMembers(names) }
  }

  @inline(never)
  private func listMembers(_ table: NameTable) {
    names = nil
    namesIdentifier = nil
    for offset in stride(from: marks.lowerBound, to: marks.upperBound, by: MemberMark.length) {
      let mark = output.marks.mark(at: offset)
      members.append(known: table.names[mark.name], mark)
    }
  }

  /// Encodes a value as the member with a name, or as the next element if there is none.
  func encode(_ value: some Encodable, named name: String?, for key: any CodingKey) throws {
    let offset = output.text.count
    let begins = if let name { beginMember(name) } else { beginElement() }
    guard begins else { return try encodeApart(value, named: name, for: key) }
    try encode(value, begunAt: offset, named: name, for: key)
  }

  /// Encodes a value whose name has been written.
  @inline(__always)
  func encode(
    _ value: some Encodable, begunAt offset: Int, named name: @autoclosure () -> String?,
    for key: any CodingKey
  ) throws {
    let valueStart = output.text.count
    part = offset
    state = .busy
    do { try encode(value, for: key) } catch {
      takeBackPart()
      throw error
    }
    if state == .busy {
      state = .open
      count &+= 1
    } else {
      // Something has been written to this container meanwhile.
      let text = output.text.cut(from: valueStart)
      output.text.truncate(to: start)
      put(text, named: name())
    }
  }

  private func takeBackPart() {
    guard state == .busy else { return output.text.truncate(to: start) }
    state = .open
    output.text.truncate(to: part)
    guard form == .object else { return }
    listMembers()
    members.removeLast()
  }

  /// Encodes a value beside the output, and keeps it.
  @inline(never)
  private func encodeApart(
    _ value: some Encodable, named name: String?, for key: any CodingKey
  ) throws {
    let apart = JSONOutput(beside: output)
    try JSONValueEncoder(apart, in: self, level: level).encode(value, for: key)
    put(apart.text.bytes, named: name)
  }
}

extension JSONValueEncoder {
  /// Encodes a value inside this one at the end of the output.
  func encode<Value: Encodable>(_ value: Value, for key: any CodingKey) throws {
    let form = output.types.form(of: Value.self)
    if try encode(value, as: form, for: key) { return }
    if form == .dictionary, let dictionary = value as? any EncodableByName {
      // In `JSONEncoder`, too, the key of a dictionary isn't on the path of its members if there is
      // a strategy for keys.
      let key = output.settings.naming == .plain ? key : nil
      return try withEncoder(for: key) { try dictionary.encodeMembers(to: $0) }
    }
    try withEncoder(for: key) { try value.encode(to: $0) }
  }

  /// Encodes a value as that of this encoder.
  func encode<Value: Encodable>(itself value: Value) throws {
    guard state != .closed else { return }
    let type = output.types.form(of: Value.self)
    if form == .nothing, try encode(value, as: type, for: nil) {
      if form == .nothing { form = .scalar }
    } else if type == .dictionary, let dictionary = value as? any EncodableByName {
      try dictionary.encodeMembers(to: self)
    } else {
      try value.encode(to: self)
    }
  }

  /// Encodes a value as the only one.
  func encode(single value: some Encodable) throws {
    requireFirstValue()
    try encode(itself: value)
    if form == .nothing { open(.object) }
    isSingle = true
  }

  /// Begins a value that is no container.
  ///
  /// - Returns: Whether it counts. It doesn't if there is a container already.
  @inline(__always)
  func beginSingle() -> Bool {
    requireFirstValue()
    isSingle = true
    guard form == .nothing, state == .open else { return false }
    form = .scalar
    return true
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
    encoder.start = output.text.count
    return encoder
  }

  private func removeMembers() {
    names = nil
    namesIdentifier = nil
    if members.count > 0 { members.removeAll() }
  }

  /// Keeps an encoder for the next value, unless somebody else has kept it.
  private func giveBack(_ encoder: inout JSONValueEncoder) {
    encoder.abandon()
    guard isKnownUniquelyReferenced(&encoder) else { return }
    encoder.parent = nil
    if encoder.form == .object { encoder.members.removeAll() }
    encoder.form = .nothing
    encoder.state = .open
    encoder.isSingle = false
    encoder.count = 0
    spare = encoder
  }
}
