import Dispatch
package import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Threads for decoding a body that is large, or nested deeper than the stacks of other threads
/// allow. On Linux they have a low priority, because a large body keeps a core busy for long.
///
/// With a normal priority it would delay other threads on its core by a time slice each, and a
/// small load over a `URLSession` changes threads some thirty times. `SCHED_IDLE` would yield at
/// once, but can't be left without a privilege: on a machine whose cores are all busy, the body
/// would get three thousandths of one, and so would any thread that waits for a lock of its thread.
package enum LowPriorityThread {
  /// Runs work on such a thread while the calling one waits, or on the calling one if the work is
  /// short.
  ///
  /// The work must not create threads, because on Linux they would inherit the low priority for
  /// good. That is also why the calling thread waits: resuming a task with the result may create a
  /// thread, so the calling one has to do it. `isDeep` says whether the `size` bytes are nested so
  /// deep that reading them takes a large stack; it is evaluated only if that matters.
  package static func run<Value: Sendable>(
    reading size: Int, isDeep: @autoclosure () -> Bool = false,
    hasSmallStack: Bool = NestingDepth.threadsHaveSmallStacks,
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    // A thread isn't worth its cost for less than a megabyte.
    guard size > 1 << 20 || (hasSmallStack && isDeep()) else { return try body() }
    let result = Mutex<Result<Value, any Error>?>(nil)
    runAndWait {
      let value = Result { try body() }
      result.withLock { $0 = value }
    }
    guard let result = result.withLock({ $0 }) else { return try body() }
    return try result.get()
  }

  /// Nested documents take stack, and some C libraries give a thread only 128 KiB.
  private static let stackSize = 8 << 20
}

#if canImport(Glibc) || canImport(Musl)
  extension LowPriorityThread {
    /// Runs the work, unless the process can't create another thread.
    private static func runAndWait(_ work: @escaping @Sendable () -> Void) {
      let thread = SystemThread.create(stackSize: stackSize) {
        // On Linux this affects only the calling thread. It can't be undone, so the thread does
        // nothing else.
        _ = nice(10)
        work()
      }
      if let thread { pthread_join(thread, nil) }
    }
  }
#else
  extension LowPriorityThread {
    /// Runs the work on a thread of the caller's own priority. The system doesn't know which thread
    /// waits for a semaphore, so a lower priority could let others delay the caller (priority
    /// inversion).
    private static func runAndWait(_ work: @escaping @Sendable () -> Void) {
      let isDone = DispatchSemaphore(value: 0)
      let thread = Thread {
        work()
        isDone.signal()
      }
      thread.stackSize = stackSize
      thread.qualityOfService = qualityOfService
      thread.start()
      isDone.wait()
    }

    private static var qualityOfService: QualityOfService {
      switch qos_class_self() {
      case QOS_CLASS_USER_INTERACTIVE: .userInteractive
      case QOS_CLASS_USER_INITIATED: .userInitiated
      case QOS_CLASS_UTILITY: .utility
      case QOS_CLASS_BACKGROUND: .background
      default: .default
      }
    }
  }
#endif

/// How deep documents are nested. Reading one into a recursive type takes up to 8 KB of stack a
/// level without optimisation.
package enum NestingDepth {
  /// Whether threads that aren't created here may have as little as 512 KiB of stack, as those of
  /// Dispatch and of Swift's tasks on Apple platforms, or 128 KiB.
  package static var threadsHaveSmallStacks: Bool {
    #if canImport(Darwin) || canImport(Musl)
      true
    #else
      false
    #endif
  }

  /// The number of levels that fits every stack.
  package static let shallow = 32

  /// Whether JSON is nested deeper than fits every stack. Linear, and independent of whether it is
  /// valid: invalid JSON is never read into a type.
  package static func isDeep(json: Data) -> Bool {
    // In UTF-16 and UTF-32 brackets and quotation marks can't be told from parts of other letters.
    guard !json.prefix(4).contains(0) else { return true }
    var (depth, isInString, isEscaped) = (0, false, false)
    for byte in json {
      if isEscaped {
        isEscaped = false
      } else if isInString {
        isEscaped = byte == UInt8(ascii: "\\")
        isInString = byte != UInt8(ascii: "\"")
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth += 1
        if depth > shallow { return true }
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        depth -= 1
      }
    }
    return false
  }
}
