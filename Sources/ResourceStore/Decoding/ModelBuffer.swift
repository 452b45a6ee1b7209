/// Models in the order in which they come, until it is known how many there are.
///
/// An array would do the same, but code that doesn't see the type of its elements looks it up with every
/// `append`, which costs as much as two columns. As many models as are expected are made in the place that the array
/// has for them; after those, each chunk is as large as all before it.
struct ModelBuffer<M: StoredModel>: ~Copyable {
  private(set) var count = 0
  /// The place in the array.
  private let room: UnsafeMutableBufferPointer<M>
  private var full: [UnsafeMutableBufferPointer<M>] = []
  /// The place in the array, until it is full; then the last chunk.
  private var chunk: UnsafeMutableBufferPointer<M>
  /// How many are in the last chunk.
  private var filled = 0

  private init(_ room: UnsafeMutableBufferPointer<M>) {
    self.room = room
    chunk = room
  }

  deinit {
    for chunk in full { chunk.deinitialize().deallocate() }
    guard chunk.baseAddress != room.baseAddress else { return }
    chunk.prefix(filled).deinitialize()
    chunk.deallocate()
  }
}

extension ModelBuffer {
  /// Collects the models that the body appends.
  ///
  /// - Parameter expected: How many it will be, as far as one knows.
  /// - Throws: What the body throws.
  static func models(
    expecting expected: Int, _ body: (inout ModelBuffer) throws -> Void
  ) throws -> [M] {
    var rest: [M] = []
    let first = try [M](unsafeUninitializedCapacity: expected) { room, initialized in
      var buffer = ModelBuffer(room)
      defer { initialized = min(buffer.count, room.count) }
      try body(&buffer)
      rest = buffer.rest()
    }
    // Who keeps a few models shall not keep the place of many.
    if first.count < expected / 2 { return first.map(\.self) }
    return first.isEmpty ? rest : rest.isEmpty ? first : first + rest
  }

  /// Makes a model in the next place.
  ///
  /// - Throws: What making it throws; then there is no model more.
  @inline(__always)
  mutating func append<Failure: Error>(_ make: () throws(Failure) -> M) throws(Failure) {
    if filled == chunk.count { grow() }
    chunk.initializeElement(at: filled, to: try make())
    filled &+= 1
    count &+= 1
  }

  private mutating func grow() {
    if chunk.baseAddress != room.baseAddress { full.append(chunk) }
    chunk = .allocate(capacity: max(16, count))
    filled = 0
  }

  /// Takes out those that weren't expected.
  private mutating func rest() -> [M] {
    guard count > room.count else { return [] }
    let array = [M](unsafeUninitializedCapacity: count - room.count) { rest, initialized in
      for chunk in full {
        initialized = rest[initialized...].moveInitialize(fromContentsOf: chunk)
        chunk.deallocate()
      }
      initialized = rest[initialized...].moveInitialize(fromContentsOf: chunk.prefix(filled))
    }
    full = []
    filled = 0
    return array
  }
}
