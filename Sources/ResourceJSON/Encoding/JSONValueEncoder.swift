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
  var members = MemberList()
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
    return KeyedEncodingContainer(KeyedMembers(object: self, owner: nil))
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
  }

  private func sortMembers() {
    guard let order = members.sorted(by: output.settings.precedes) else { return }
    let first = members[0].start
    let end = output.text.count
    let values = order.map { output.text.bytes(members[$0].value..<members.end($0, end)) }
    output.text.truncate(to: first)
    for (position, index) in order.enumerated() {
      output.separate(isFirst: position == 0, level: level + 1)
      _ = output.append(name: members[index].name)
      output.text.append(values[position])
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
    let start = output.text.count
    output.separate(isFirst: count == 0, level: level + 1)
    let isASCII = output.append(name: name)
    guard members.append(name, isASCII: isASCII, at: start, value: output.text.count) else {
      output.text.truncate(to: start)
      loosen()
      return false
    }
    return true
  }

  /// Begins the next member, or the next element if there is no name.
  @inline(__always)
  private func begin(_ name: String?) -> Bool {
    if let name { beginMember(name) } else { beginElement() }
  }

  /// Encodes a value as the member with a name, or as the next element if there is none.
  func encode(_ value: some Encodable, named name: String?, for key: any CodingKey) throws {
    let offset = output.text.count
    guard begin(name) else { return try encodeApart(value, named: name, for: key) }
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
      put(text, named: name)
    }
  }

  private func takeBackPart() {
    guard state == .busy else { return output.text.truncate(to: start) }
    state = .open
    output.text.truncate(to: part)
    if form == .object { members.removeLast() }
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
  func encode(_ value: some Encodable, for key: any CodingKey) throws {
    if try encodeAsFoundation(value, for: key) { return }
    if output.settings.naming != .plain, let dictionary = value as? any EncodableByName {
      // In `JSONEncoder`, too, the key of such a dictionary isn't on the path of its members.
      return try withEncoder(for: nil) { try dictionary.encodeMembers(to: $0) }
    }
    try withEncoder(for: key) { try value.encode(to: $0) }
  }

  /// Encodes a value as that of this encoder.
  func encode(itself value: some Encodable) throws {
    guard state != .closed else { return }
    if form == .nothing, try encodeAsFoundation(value, for: nil) {
      if form == .nothing { form = .scalar }
    } else if output.settings.naming != .plain, let dictionary = value as? any EncodableByName {
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
