import Dispatch
import Foundation
import PromiseModule
import ResourcePrimitives
import Synchronization

/// Threads for parsers: more than there are cores, so that a few long ones don't delay short ones,
/// and separate from the threads of Swift's tasks, which a long parser would block.
final class ParserThreadPool: Sendable {
  private static let shared = ParserThreadPool(
    count: ProcessInfo.processInfo.activeProcessorCount + 6)

  private let state = Mutex(State())
  // A serial queue gets a thread as soon as it has work, even if all cores are busy; a concurrent
  // one would wait for a core.
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
  /// - Returns: The result. If it is cancelled, a parser that has begun continues without effect,
  ///   and one that waits doesn't run.
  static func run<R: Sendable>(_ parse: @escaping @Sendable () throws -> R) -> Promise<R> {
    let (promise, resolver) = Promise<R>.pending()
    // The clock of a simulation must not move while something is parsed.
    guard SimulatedExecution.executor == nil else {
      resolver.resolve(Result { try parse() })
      return promise
    }
    let ticket = shared.submit {
      if resolver.isPending { resolver.resolve(Result { try parse() }) }
    }
    // The response of a cancelled parser is freed.
    if let ticket { resolver.onCancel { shared.remove(ticket) } }
    return promise
  }

  /// - Returns: The ticket for removing the job while it waits; `nil` if it begins at once.
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

/// The expected duration of a parser, which decides whether it runs on a thread of its own.
package enum ParsingTime: Sendable {
  /// Any duration: a user's code.
  case unknown
  /// In proportion to the body, and well below a millisecond for 32 KiB.
  case proportional
  /// Nearly none, for any body.
  case none
}

extension ParsingTime {
  /// The duration if unknown code follows a short parser: a small body has a small value.
  var transformed: ParsingTime { self == .unknown ? .unknown : .proportional }

  /// Returns whether parsing a response takes no longer than a change of threads.
  func isShort(for response: Response) -> Bool {
    switch self {
    case .unknown: false
    case .proportional: response.body.count <= 32 << 10
    case .none: true
    }
  }
}
