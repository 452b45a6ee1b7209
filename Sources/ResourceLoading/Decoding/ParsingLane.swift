import Dispatch
import Foundation
import PromiseModule
import Synchronization

/// Threads on which parsers run: more than there are cores, so that a few long ones don't hold up the short
/// ones, and apart from the threads of Swift's tasks, which a long parser would take away from everybody.
final class ParsingLane: Sendable {
  private static let shared = ParsingLane(width: ProcessInfo.processInfo.activeProcessorCount + 6)

  private let width: Int
  private let state = Mutex(State())
  // A serial queue gets a thread of its own as soon as it has work, however busy the cores are; a
  // concurrent one would wait for a core.
  private let queues: [DispatchQueue]

  private typealias Job = @Sendable () -> Void

  private struct State {
    var waiting = FairQueue<Job>()
    var idle: [Int] = []
  }

  private init(width: Int) {
    self.width = width
    queues = (0..<width).map { DispatchQueue(label: "ResourceLoading.ParsingLane.\($0)") }
    state.withLock { $0.idle = Array((0..<width).reversed()) }
  }

  /// Runs a parser.
  ///
  /// - Returns: What comes of it. If it is cancelled, a parser that runs goes on for nobody, and one that still
  ///   waits doesn't run at all.
  static func run<R: Sendable>(_ parse: @escaping @Sendable () throws -> R) -> Promise<R> {
    let (promise, resolver) = Promise<R>.pending()
    let place = shared.submit {
      if resolver.isPending { resolver.resolve(Result { try parse() }) }
    }
    // What waits for nobody keeps its response no longer.
    if let place { resolver.onCancel { shared.remove(place) } }
    return promise
  }

  /// - Returns: Where the job waits; `nil` if it begins at once.
  private func submit(_ job: @escaping Job) -> FairQueue<Job>.Ticket? {
    let (lane, place): (Int?, FairQueue<Job>.Ticket?) = state.withLock { state in
      if let lane = state.idle.popLast() { return (lane, nil) }
      return (nil, state.waiting.append(job))
    }
    if let lane {
      queues[lane].async { [self] in
        job()
        drain(lane)
      }
    }
    return place
  }

  private func remove(_ place: FairQueue<Job>.Ticket) {
    // Freed outside of the lock.
    let job = state.withLock { $0.waiting.remove(place) }
    withExtendedLifetime(job) {}
  }

  private func drain(_ lane: Int) {
    while let job = next(lane) { job() }
  }

  /// The job that waits longest, or `nil`, and then the lane is idle.
  private func next(_ lane: Int) -> Job? {
    state.withLock { state in
      if let job = state.waiting.popFirst() { return job }
      state.idle.append(lane)
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
