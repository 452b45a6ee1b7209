import Foundation

/// The threads of one server. Each does one piece of work and is gone.
final class Crew: Sendable {
  private struct Muster: Sendable {
    var aboard: Set<ObjectIdentifier> = []
    /// Those of the crew who wait for the others themselves.
    var waiting: Set<ObjectIdentifier> = []
  }

  private let muster = Observed(Muster())

  /// Handlers run on this stack, JSON coding included, and thousands of threads must be affordable.
  private static let stackSize = 512 * 1024

  func start(_ name: String, _ work: @escaping @Sendable () -> Void) {
    let muster = muster
    let thread = Thread {
      work()
      let current = ObjectIdentifier(Thread.current)
      muster.update { _ = $0.aboard.remove(current) }
    }
    thread.name = name
    thread.stackSize = Self.stackSize
    muster.update { _ = $0.aboard.insert(ObjectIdentifier(thread)) }
    thread.start()
  }

  /// Blocks until every thread has done its work.
  ///
  /// Called by one of the threads it waits for the others only, and not for those that wait in the
  /// same way.
  func waitForAll() {
    let current = ObjectIdentifier(Thread.current)
    let isCrew = muster.update { muster in
      guard muster.aboard.contains(current) else { return false }
      muster.waiting.insert(current)
      return true
    }
    // The muster is never failed, so there is nothing that could be thrown.
    _ = try? muster.block { $0.aboard.isSubset(of: isCrew ? $0.waiting : []) }
  }
}
