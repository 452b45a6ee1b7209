/// Models in the order in which they come, until it is known how many there are.
///
/// An array would do the same, but code that doesn't see the type of its elements looks it up with every
/// `append`, which costs as much as two columns.
struct ModelBuffer<M: Model>: ~Copyable {
  private(set) var count = 0
  private var models = UnsafeMutableBufferPointer<M>.allocate(capacity: 16)

  deinit {
    models.prefix(count).deinitialize()
    models.deallocate()
  }
}

extension ModelBuffer {
  /// Makes a model in the next place.
  ///
  /// - Throws: What making it throws; then there is no model more.
  @inline(__always)
  mutating func append<Failure: Error>(_ make: () throws(Failure) -> M) throws(Failure) {
    if count == models.count { grow() }
    models.initializeElement(at: count, to: try make())
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutableBufferPointer<M>.allocate(capacity: models.count * 2)
    _ = larger.moveInitialize(fromContentsOf: models)
    models.deallocate()
    models = larger
  }

  /// Takes the models out.
  consuming func finish() -> [M] {
    let array = [M](unsafeUninitializedCapacity: count) { room, initialized in
      initialized = room.moveInitialize(fromContentsOf: models.prefix(count))
    }
    count = 0
    return array
  }
}
