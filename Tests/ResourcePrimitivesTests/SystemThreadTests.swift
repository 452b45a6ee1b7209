import ResourcePrimitives
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SystemThreadTests {
  @Test func `work runs once, on another thread`() async {
    let caller = SystemThread.current
    let count = Atomic<Int>(0)
    let isOther = await withCheckedContinuation { continuation in
      let isStarted = SystemThread.start {
        count.add(1, ordering: .relaxed)
        continuation.resume(returning: SystemThread.current != caller)
      }
      #expect(isStarted)
    }

    #expect(isOther)
    #expect(count.load(ordering: .relaxed) == 1)
  }

  @Test func `a thread with a large stack can use it`() async {
    let depth = await withCheckedContinuation { continuation in
      SystemThread.start(stackSize: 64 << 20) { continuation.resume(returning: Self.depth(20_000)) }
    }

    #expect(depth == 20_000)
  }

  @Test func `what the work holds is released after it`() async {
    final class Held: Sendable {
      let end: @Sendable () -> Void
      init(_ end: @escaping @Sendable () -> Void) { self.end = end }
      deinit { end() }
    }
    await withCheckedContinuation { continuation in
      let held = Held { continuation.resume() }
      SystemThread.start { withExtendedLifetime(held) {} }
    }
  }

  /// Uses a kilobyte of stack a level.
  @inline(never)
  private static func depth(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1000) { bytes in
      bytes.initialize(repeating: 1)
      return depth(count - 1) + Int(bytes[0])
    }
  }
}
