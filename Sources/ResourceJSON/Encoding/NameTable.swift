/// The names of a type's coding keys as they are written: converted and escaped once.
///
/// A type nearly always encodes its members in the same order, so that a name is looked for behind
/// the one that was found last. Equal texts of one constant are found by their addresses.
final class NameTable {
  private(set) var names: [Name] = []

  /// The most names of a table; the keys of a dictionary are without end.
  private static let limit = 64
  /// How many members may be left out between two others.
  private static let window = 8

  struct Name {
    /// The name as the key has it.
    let key: String
    /// The name as the strategy for keys has it; it is ASCII.
    let name: String
    /// The name in quotes, with the colon.
    let label: [UInt8]

    /// Some characters that aren't ASCII are equal to one that is. They are longer.
    @inline(__always)
    func isName(of other: String) -> Bool {
      key == other && key.utf8.count == other.utf8.count
    }
  }
}

extension NameTable {
  /// Returns the position of a name; `nil` if there is no place for it.
  @inline(__always)
  func find(_ key: String, from position: Int, _ settings: JSONWriterSettings) -> Int? {
    if position < names.count, names[position].isName(of: key) { return position }
    return search(key, from: position, settings)
  }

  @inline(never)
  private func search(_ key: String, from position: Int, _ settings: JSONWriterSettings) -> Int? {
    let end = min(position + Self.window, names.count)
    if let found = names[min(position, end)..<end].firstIndex(where: { $0.isName(of: key) }) {
      return found
    }
    guard names.count < Self.limit else { return nil }
    return names.firstIndex { $0.isName(of: key) } ?? add(key, settings)
  }

  private func add(_ key: String, _ settings: JSONWriterSettings) -> Int? {
    let name = settings.naming == .snakeCase ? key.snakeCase : key
    // What isn't ASCII has several spellings, and several keys may become one name.
    guard key.utf8.allSatisfy({ $0 < 0x80 }), !names.contains(where: { $0.name == name }) else {
      return nil
    }
    var label = JSONBytes()
    label.append(name: name, settings)
    // Moved away and back, since a change in place would need an exclusivity check at each reading.
    var names = names
    self.names = []
    names.append(Name(key: key, name: name, label: label.bytes))
    self.names = names
    return names.count - 1
  }
}

/// What an output has found out about types.
final class WrittenTypes {
  private var tables = TypeMap<NameTable?>()
  private var forms = TypeMap<WrittenForm>()

  /// Returns the names of a type of coding keys; `nil` when the type comes for the first time: most
  /// values have types that come once.
  @inline(__always)
  func names(of type: any CodingKey.Type) -> NameTable? {
    if let table = tables[ObjectIdentifier(type)] ?? nil { return table }
    return newTable(for: ObjectIdentifier(type))
  }

  @inline(never)
  private func newTable(for type: ObjectIdentifier) -> NameTable? {
    var tables = tables
    self.tables = TypeMap()
    let isKnown = tables[type] != nil
    tables[type] = .some(isKnown ? NameTable() : nil)
    self.tables = tables
    return tables[type] ?? nil
  }

  /// Returns the way in which values of a type are encoded. Finding it takes a search among
  /// conformances, so the result is cached.
  @inline(__always)
  func form(of type: any Encodable.Type) -> WrittenForm {
    forms[ObjectIdentifier(type)] ?? newForm(of: type)
  }

  @inline(never)
  private func newForm(of type: any Encodable.Type) -> WrittenForm {
    var forms = forms
    self.forms = TypeMap()
    let form = (type as? any WrittenSpecially.Type)?.writtenForm ?? .itself
    forms[ObjectIdentifier(type)] = form
    self.forms = forms
    return form
  }
}

/// Values by types, in a table of which at most half is full.
private struct TypeMap<Value> {
  private var slots: [(type: ObjectIdentifier, value: Value)?] = []
  private var count = 0

  @inline(__always)
  subscript(type: ObjectIdentifier) -> Value? {
    get {
      guard !slots.isEmpty, let entry = slots[slot(of: type)] else { return nil }
      return entry.value
    }
    set {
      if count * 2 >= slots.count { grow() }
      guard let newValue else { return }
      let slot = slot(of: type)
      if slots[slot] == nil { count += 1 }
      slots[slot] = (type, newValue)
    }
  }

  /// The slot in which a type is, or could be.
  @inline(__always)
  private func slot(of type: ObjectIdentifier) -> Int {
    let bits = UInt(bitPattern: type)
    var slot = Int(truncatingIfNeeded: bits &>> 4 ^ bits &>> 9) & (slots.count &- 1)
    while let entry = slots[slot], entry.type != type { slot = (slot &+ 1) & (slots.count &- 1) }
    return slot
  }

  private mutating func grow() {
    let entries = slots.compactMap(\.self)
    slots = Array(repeating: nil, count: max(8, slots.count * 2))
    for entry in entries { slots[slot(of: entry.type)] = entry }
  }
}
