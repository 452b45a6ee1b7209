import Foundation

/// The threads of one server. Each does one piece of work and is gone.
final class Crew: Sendable {
  private let aboard = Observed<Set<ObjectIdentifier>>([])

  /// Handlers run on this stack, JSON coding included, and thousands of threads must be affordable.
  private static let stackSize = 512 * 1024

  func start(_ name: String, _ work: @escaping @Sendable () -> Void) {
    let aboard = aboard
    let thread = Thread {
      work()
      let current = ObjectIdentifier(Thread.current)
      aboard.update { _ = $0.remove(current) }
    }
    thread.name = name
    thread.stackSize = Self.stackSize
    aboard.update { _ = $0.insert(ObjectIdentifier(thread)) }
    thread.start()
  }

  /// Blocks until every thread has done its work.
  ///
  /// A thread of the crew that calls this isn't waited for any more, by itself or by another.
  func waitForAll() {
    let current = ObjectIdentifier(Thread.current)
    aboard.update { _ = $0.remove(current) }
    // The set is never failed, so there is nothing that could be thrown.
    _ = try? aboard.block { $0.isEmpty }
  }
}
