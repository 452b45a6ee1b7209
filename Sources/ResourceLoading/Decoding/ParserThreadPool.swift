import Dispatch
import Foundation
import PromiseModule
import Synchronization

/// Threads on which parsers run: more than there are cores, so that a few long ones don't hold up the short
/// ones, and apart from the threads of Swift's tasks, which a long parser would take away from all other tasks.
final class ParserThreadPool: Sendable {
  private static let shared = ParserThreadPool(
    count: ProcessInfo.processInfo.activeProcessorCount + 6)

  private let state = Mutex(State())
  // A serial queue gets a thread of its own as soon as it has work, however busy the cores are; a
  // concurrent one would wait for a core.
  private let queues: [DispatchQueue]

  private typealias Job = @Sendable () -> Void

  private struct State {
    var waiting = FairQueue<Job>()
    var idle: [Int] = []
  }

  private init(count: Int) {
    queues = (0..<count).map { DispatchQueue(label: "ResourceLoading.ParserThreadPool.\($0)") }
    state.withLock { $0.idle = Array((0..<count).reversed()) }
  }

  /// Runs a parser.
  ///
  /// - Returns: What comes of it. If it is cancelled, a parser that runs goes on for nobody, and one that still
  ///   waits doesn't run at all.
  static func run<R: Sendable>(_ parse: @escaping @Sendable () throws -> R) -> Promise<R> {
    let (promise, resolver) = Promise<R>.pending()
    let ticket = shared.submit {
      if resolver.isPending { resolver.resolve(Result { try parse() }) }
    }
    // A parser that nobody waits for any more gives its response up.
    if let ticket { resolver.onCancel { shared.remove(ticket) } }
    return promise
  }

  /// - Returns: What the job is removed by while it waits; `nil` if it begins at once.
  private func submit(_ job: @escaping Job) -> FairQueue<Job>.Ticket? {
    let (thread, ticket): (Int?, FairQueue<Job>.Ticket?) = state.withLock { state in
      if let thread = state.idle.popLast() { return (thread, nil) }
      return (nil, state.waiting.append(job))
    }
    if let thread {
      queues[thread].async { [self] in
        job()
        drain(thread)
      }
    }
    return ticket
  }

  private func remove(_ ticket: FairQueue<Job>.Ticket) {
    // Freed outside of the lock.
    let job = state.withLock { $0.waiting.remove(ticket) }
    withExtendedLifetime(job) {}
  }

  private func drain(_ thread: Int) {
    while let job = next(thread) { job() }
  }

  /// The job that has waited longest; without one the thread becomes idle.
  private func next(_ thread: Int) -> Job? {
    state.withLock { state in
      if let job = state.waiting.popFirst() { return job }
      state.idle.append(thread)
      return nil
    }
  }
}

/// What is known of the time that a parser takes: whether going to a thread of its own is worth it.
package enum ParsingTime: Sendable {
  /// As long as whoever wrote it likes.
  case unknown
  /// It grows with the body, and is well below a millisecond for 32 KiB.
  case proportional
  /// Next to nothing, whatever the body.
  case none
}

extension ParsingTime {
  /// What is known where something unknown is done with the value of a short parser: a small body makes a small value.
  var transformed: ParsingTime { self == .unknown ? .unknown : .proportional }

  /// Whether a body is parsed sooner than a thread would be changed, or nearly so, on the thread that has it.
  func isShort(for response: Response) -> Bool {
    switch self {
    case .unknown: false
    case .proportional: response.body.count <= 32 << 10
    case .none: true
    }
  }
}
