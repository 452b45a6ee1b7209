/// The names of a document. Each is stored once and has a number.
///
/// It is a hash table with open addressing. Its seed is random, so a document can't choose names
/// that collide. Number 0 is the empty name.
struct NameTable: Sendable {
  struct Entry: Sendable {
    /// The first eight bytes, padded with zeros.
    var head: UInt64
    var hash: UInt64
    var offset: UInt32
    var length: UInt32
    /// The number of the part before the colon; 0 if there is none.
    var prefix: UInt32
    /// The number of the part after the colon, or of the name itself.
    var local: UInt32
    /// Whether it is a QName (production 7 of Namespaces in XML).
    var isQualified: Bool
  }

  private(set) var entries: [Entry] = []
  private(set) var bytes: [UInt8] = []
  private var slots: [UInt32]
  private let seed: UInt64

  init() {
    seed = UInt64.random(in: .min ... .max)
    slots = Array(repeating: 0, count: 64)
    let nothing: [UInt8] = []
    _ = insert(nothing.span, 0, 0, head: 0, hash: 0)
  }

  /// Returns the number of a name, which is new if the name wasn't known.
  mutating func intern(_ name: String) -> UInt32 {
    let source = Array(name.utf8)
    return intern(source.span, 0, source.count)
  }

  @inline(__always)
  mutating func intern(_ source: Span<UInt8>, _ start: Int, _ end: Int) -> UInt32 {
    guard start < end else { return 0 }
    let (head, hash) = mix(source, start, end)
    if let known = find(source, start, end, head: head, hash: hash) { return known }
    return insert(source, start, end, head: head, hash: hash)
  }

  func find(_ source: Span<UInt8>) -> UInt32? {
    guard source.count > 0 else { return 0 }
    let (head, hash) = mix(source, 0, source.count)
    return find(source, 0, source.count, head: head, hash: hash)
  }

  func find(_ name: String) -> UInt32? {
    let source = Array(name.utf8)
    return find(source.span)
  }

  func string(_ id: UInt32) -> String {
    let entry = entries[Int(id)]
    return bytes.span.string(Int(entry.offset)..<Int(entry.offset + entry.length))
  }
}

extension NameTable {
  /// Returns the first eight bytes and the hash of the name.
  @inline(__always)
  private func mix(_ source: Span<UInt8>, _ start: Int, _ end: Int) -> (UInt64, UInt64) {
    let head = source.paddedWord(from: start, to: end)
    var hash = fold(head ^ seed, UInt64(truncatingIfNeeded: end &- start))
    var i = start &+ 8
    while i < end {
      hash = fold(source.paddedWord(from: i, to: end) ^ hash, seed)
      i &+= 8
    }
    return (head, hash)
  }

  @inline(__always)
  private func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = (a ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: b ^ 0xD1B5_4A32_D192_ED03)
    return product.high ^ product.low
  }

  @inline(__always)
  private func find(
    _ source: Span<UInt8>, _ start: Int, _ end: Int, head: UInt64, hash: UInt64
  ) -> UInt32? {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while true {
      let id = slots[slot]
      guard id != 0 else { return nil }
      let entry = entries[Int(id)]
      if entry.hash == hash, entry.head == head, Int(entry.length) == end &- start,
        end &- start <= 8 || isTail(of: entry, in: source, from: start)
      {
        return id
      }
      slot = (slot &+ 1) & mask
    }
  }

  private func isTail(of entry: Entry, in source: Span<UInt8>, from start: Int) -> Bool {
    for i in 8..<Int(entry.length) where bytes[Int(entry.offset) + i] != source[start + i] {
      return false
    }
    return true
  }

  private mutating func insert(
    _ source: Span<UInt8>, _ start: Int, _ end: Int, head: UInt64, hash: UInt64
  ) -> UInt32 {
    let id = UInt32(entries.count)
    let offset = UInt32(bytes.count)
    for i in start..<end { bytes.append(source[i]) }
    entries.append(
      Entry(
        head: head, hash: hash, offset: offset, length: UInt32(end - start), prefix: 0, local: id,
        isQualified: false))
    if id != 0 { place(id) }
    split(id, source, start, end)
    return id
  }

  private mutating func place(_ id: UInt32) {
    if entries.count * 2 > slots.count {
      slots = Array(repeating: 0, count: slots.count * 2)
      for other in 1..<id { put(other) }
    }
    put(id)
  }

  private mutating func put(_ id: UInt32) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: entries[Int(id)].hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = id
  }

  /// Finds the prefix and the local part. A name with several colons, or with one at an end, isn't
  /// a QName.
  private mutating func split(_ id: UInt32, _ source: Span<UInt8>, _ start: Int, _ end: Int) {
    let name = source.extracting(start..<end)
    guard let colon = name.first(.colon, from: 0) else {
      entries[Int(id)].isQualified = true
      return
    }
    guard colon > 0, colon + 1 < name.count, name.first(.colon, from: colon + 1) == nil,
      name.scalar(at: colon + 1).value.isXMLNameStart
    else { return }
    let prefix = intern(source, start, start + colon)
    let local = intern(source, start + colon + 1, end)
    entries[Int(id)].prefix = prefix
    entries[Int(id)].local = local
    entries[Int(id)].isQualified = true
  }
}
