/// Models in the order in which they come, until it is known how many there are.
///
/// An array would do the same, but code that doesn't see the type of its elements looks it up with every
/// `append`, which costs as much as two columns. Each chunk is as large as all before it, and no model moves until
/// the end.
struct ModelBuffer<M: Model>: ~Copyable {
  private(set) var count = 0
  private var full: [UnsafeMutableBufferPointer<M>] = []
  private var chunk = UnsafeMutableBufferPointer<M>.allocate(capacity: 16)
  /// How many are in the last chunk.
  private var filled = 0

  deinit {
    for chunk in full { chunk.deinitialize().deallocate() }
    chunk.prefix(filled).deinitialize()
    chunk.deallocate()
  }
}

extension ModelBuffer {
  /// Makes a model in the next place.
  ///
  /// - Throws: What making it throws; then there is no model more.
  @inline(__always)
  mutating func append<Failure: Error>(_ make: () throws(Failure) -> M) throws(Failure) {
    if filled == chunk.count { grow() }
    chunk.initializeElement(at: filled, to: try make())
    filled += 1
    count += 1
  }

  private mutating func grow() {
    full.append(chunk)
    chunk = .allocate(capacity: count)
    filled = 0
  }

  /// Takes the models out.
  consuming func finish() -> [M] {
    let array = [M](unsafeUninitializedCapacity: count) { room, initialized in
      for chunk in full {
        initialized = room[initialized...].moveInitialize(fromContentsOf: chunk)
        chunk.deallocate()
      }
      initialized = room[initialized...].moveInitialize(fromContentsOf: chunk.prefix(filled))
    }
    full = []
    filled = 0
    return array
  }
}
