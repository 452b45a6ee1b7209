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

  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var idle: [Int]

    init() { idle = [] }
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
    shared.submit {
      if resolver.isPending { resolver.resolve(Result { try parse() }) }
    }
    return promise
  }

  private func submit(_ job: @escaping @Sendable () -> Void) {
    let lane: Int? = state.withLock { state in
      if let lane = state.idle.popLast() { return lane }
      state.waiting.append(job)
      return nil
    }
    guard let lane else { return }
    queues[lane].async { [self] in
      job()
      drain(lane)
    }
  }

  private func drain(_ lane: Int) {
    while let job = next(lane) { job() }
  }

  /// The job that waits longest, or `nil`, and then the lane is idle.
  private func next(_ lane: Int) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.idle.append(lane)
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
