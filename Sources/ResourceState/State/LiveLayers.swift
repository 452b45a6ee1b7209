/// A value as a load or the program has set it, its base, and on top of it the changes by writes
/// under way and any later changes.
///
/// When a write succeeds, its changes become part of the base. When it fails, they are removed.
struct LiveLayers<Value> {
  private(set) var base: Value?
  /// A hash of the response that the base is, for values that can't be compared.
  private var fingerprint: [UInt8]?
  private var changes: [Change] = []
  private var writes: [UInt64] = []
  /// Those of the writes that may wait for days, so that loads go on below their changes.
  private var durableWrites: Set<UInt64> = []
  /// The errors of durable writes that were refused, and that the user hasn't dealt with.
  private var refusals: [(write: UInt64, error: any Error)] = []

  private struct Change {
    /// The write to which the change belongs; `nil` once it is permanent.
    var write: UInt64?
    let apply: (inout Value?) -> Void
  }

  /// What is shown.
  var value: Value? {
    var value = base
    for change in changes { change.apply(&value) }
    return value
  }

  var hasWrites: Bool { !writes.isEmpty || !refusals.isEmpty }

  /// Whether a write is under way during which nothing is loaded, because a response might be from
  /// before or after it.
  var blocksLoads: Bool { writes.count > durableWrites.count }

  /// The error of the last write that was refused.
  var refusal: (any Error)? { refusals.last?.error }
}

extension LiveLayers {
  /// Takes what a load has brought. Returns whether that can change what is shown.
  mutating func take(_ new: Value, _ fingerprint: [UInt8]? = nil, isFromServer: Bool) -> Bool {
    let isSame = fingerprint != nil && fingerprint == self.fingerprint
    if !isSame { base = new }
    self.fingerprint = fingerprint
    // Only below durable writes can there be such changes: the load began after they were made.
    let isBeforeServer = isFromServer && changes.contains { $0.write == nil }
    if isBeforeServer { changes.removeAll { $0.write == nil } }
    return !isSame || isBeforeServer
  }

  /// Takes a base that has more of the server's elements than the one before.
  mutating func extend(to new: Value) { (base, fingerprint) = (new, nil) }

  /// Sets the value. Nothing that began earlier can replace it.
  mutating func set(_ new: Value) {
    (base, fingerprint) = (new, nil)
    changes.removeAll { $0.write.map { !durableWrites.contains($0) } ?? true }
  }

  /// Makes a permanent change.
  mutating func update(_ apply: @escaping (inout Value?) -> Void) {
    changes.append(Change(write: nil, apply: apply))
    fold()
  }
}

extension LiveLayers {
  /// Begins a write, or adds to its changes.
  mutating func begin(
    _ write: UInt64, isDurable: Bool, _ apply: @escaping (inout Value?) -> Void
  ) {
    if !writes.contains(write) { writes.append(write) }
    if isDurable { durableWrites.insert(write) }
    changes.append(Change(write: write, apply: apply))
  }

  /// Ends a write, and keeps or removes its changes.
  ///
  /// - Returns: Whether it was durable; `nil` if there is no such write.
  mutating func end(_ write: UInt64, succeeded: Bool) -> Bool? {
    guard let index = writes.firstIndex(of: write) else { return nil }
    writes.remove(at: index)
    if succeeded {
      for index in changes.indices where changes[index].write == write {
        changes[index].write = nil
      }
    } else {
      changes.removeAll { $0.write == write }
    }
    fold()
    return durableWrites.remove(write) != nil
  }

  /// Notes that a durable write was refused, or with `nil` that the user has dealt with that.
  mutating func noteRefusal(of write: UInt64, _ error: (any Error)?) {
    refusals.removeAll { $0.write == write }
    if let error { refusals.append((write, error)) }
  }

  /// Applies the permanent changes that precede the first change of a write to the base.
  private mutating func fold() {
    while let first = changes.first, first.write == nil {
      first.apply(&base)
      fingerprint = nil
      changes.removeFirst()
    }
  }
}
