import Synchronization

/// Things that are made when they are used first, and kept.
final class Once<Things: Sendable>: Sendable {
  private let make: @Sendable () -> Things
  private let made = Mutex<Things?>(nil)

  init(_ make: @escaping @Sendable () -> Things) {
    self.make = make
  }

  var things: Things {
    made.withLock { made in
      if let made { return made }
      let things = make()
      made = things
      return things
    }
  }
}
