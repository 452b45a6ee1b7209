import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Signals after which the server may have newer values, for ``LiveResources/reload(on:)``.
public enum LiveSignals {}

extension LiveSignals {
  /// Returns a sequence with an element whenever the process continues after it was stopped
  /// (`SIGCONT`), by the shell's `fg` or by a supervisor.
  ///
  /// Several signals while the loop is busy result in one element. This replaces the process's own
  /// handler of the signal.
  public static func continued() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      guard let id = ContinueSignal.shared.add(continuation) else { return continuation.finish() }
      continuation.onTermination = { _ in ContinueSignal.shared.remove(id) }
    }
  }
}

/// Notifies listeners of the process's `SIGCONT`.
///
/// The handler writes to a pipe. A Dispatch signal source would need none, but on Linux it misses
/// signals that are delivered to a thread which doesn't block them.
private final class ContinueSignal: Sendable {
  static let shared = ContinueSignal()

  private let listeners = Mutex<(last: Int, all: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

  /// The ends of the pipe; `nil` if the process has no descriptors left. They are created before
  /// the handler is set, because the handler must not allocate.
  private static let ends: (reading: Int32, writing: Int32)? = {
    var ends: [Int32] = [-1, -1]
    // `pipe` writes two descriptors into an array of two.
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }()

  /// - Returns: `nil` if the process has no descriptors left.
  func add(_ continuation: AsyncStream<Void>.Continuation) -> Int? {
    guard let ends = Self.ends else { return nil }
    let id = listeners.withLock { listeners in
      listeners.last += 1
      listeners.all[listeners.last] = continuation
      return listeners.last
    }
    if id == 1 { start(reading: ends.reading) }
    return id
  }

  func remove(_ id: Int) { listeners.withLock { $0.all[id] = nil } }

  private func start(reading end: Int32) {
    let source = DispatchSource.makeReadSource(fileDescriptor: end)
    source.setEventHandler { [self] in
      var bytes = [UInt8](repeating: 0, count: 64)
      // `read` fills at most the whole array.
      while unsafe read(end, &bytes, bytes.count) > 0 {}
      for listener in listeners.withLock({ Array($0.all.values) }) { listener.yield() }
      // The handler retains its source until the process ends.
      withExtendedLifetime(source) {}
    }
    source.resume()
    signal(SIGCONT) { _ in ContinueSignal.report() }
  }

  private static func report() {
    guard let ends else { return }
    let before = errno
    var byte: UInt8 = 0
    // `write` reads one byte of a local variable.
    _ = unsafe write(ends.writing, &byte, 1)
    errno = before
  }
}
