import Foundation

/// The threads of one server. Each does one piece of work and is gone.
final class ServerThreads: Sendable {
  private struct State: Sendable {
    var running: Set<ObjectIdentifier> = []
    /// The running threads that wait for the others themselves.
    var waiting: Set<ObjectIdentifier> = []
  }

  private let state = Observed(State())

  /// Handlers run on this stack, JSON coding included, and thousands of threads must be affordable.
  private static let stackSize = 512 * 1024

  func start(_ name: String, _ work: @escaping @Sendable () -> Void) {
    let state = state
    let thread = Thread {
      work()
      let current = ObjectIdentifier(Thread.current)
      state.update { _ = $0.running.remove(current) }
    }
    thread.name = name
    thread.stackSize = Self.stackSize
    state.update { _ = $0.running.insert(ObjectIdentifier(thread)) }
    thread.start()
  }

  /// Blocks until every thread has done its work.
  ///
  /// Called by one of the threads it waits for the others only, and not for those that wait in the
  /// same way.
  func waitForAll() {
    let current = ObjectIdentifier(Thread.current)
    let isMember = state.update { state in
      guard state.running.contains(current) else { return false }
      state.waiting.insert(current)
      return true
    }
    // Nothing fails this state, so there is nothing to throw.
    _ = try? state.block { $0.running.isSubset(of: isMember ? $0.waiting : []) }
  }
}
