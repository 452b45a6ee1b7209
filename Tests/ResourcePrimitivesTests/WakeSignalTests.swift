import Foundation
import ResourcePrimitives
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WakeSignalTests {
  @Test func `a signal wakes although another process has its writing end`() throws {
    let signal = try WakeSignal()
    defer { signal.close() }
    // Those of a pipe are consecutive, unless another thread opens something at the same time.
    let copies = (0..<1024).filter { $0 != signal.descriptor }.compactMap { descriptor in
      isWritingEnd(Int32(descriptor), of: signal.descriptor) ? dup(Int32(descriptor)) : nil
    }
    defer { for copy in copies { close(copy) } }
    try #require(!copies.isEmpty)

    signal.fire()
    let first = try SystemCalls.waitForFirst(
      [(signal.descriptor, .readable)], timeout: .seconds(5))
    let second = try SystemCalls.waitForFirst(
      [(signal.descriptor, .readable)], timeout: .seconds(5))

    #expect(first == 0 && second == 0)
  }

  @Test func `a signal that has fired or is closed may fire again`() throws {
    let signal = try WakeSignal()

    signal.fire()
    signal.fire()
    signal.close()
    signal.fire()
  }
}

/// Whether a descriptor is the other end of a pipe.
private func isWritingEnd(_ descriptor: Int32, of reading: Int32) -> Bool {
  var (one, other) = (stat(), stat())
  guard fstat(descriptor, &one) == 0, fstat(reading, &other) == 0 else { return false }
  return one.st_ino == other.st_ino && one.st_dev == other.st_dev
}
