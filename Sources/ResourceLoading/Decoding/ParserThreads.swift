import Dispatch
import Foundation
import PromiseModule
import ResourcePrimitives

/// Threads for parsers: more than there are cores, so that a few long ones don't delay short ones,
/// and separate from the threads of Swift's tasks, which a long parser would block.
enum ParserThreads {
  // A serial queue gets a thread as soon as it has work, even if all cores are busy; a concurrent
  // one would wait for a core.
  private static let queues = Pool(limit: ProcessInfo.processInfo.activeProcessorCount + 6) {
    DispatchQueue(label: "ResourceLoading.ParserThreads")
  }

  /// Runs a parser. If the task is cancelled, a parser that has begun continues without effect, and
  /// one that waits doesn't run.
  static func run<R: Sendable>(_ parse: @escaping @Sendable () throws -> R) async throws -> R {
    // The clock of a simulation must not move while something is parsed.
    guard SimulatedExecution.executor == nil else { return try parse() }
    let queue = try await queues.take()
    let (promise, resolver) = Promise<R>.pending()
    queue.async {
      resolver.resolve(Result { try parse() })
      queues.giveBack(queue)
    }
    return try await promise.get()
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
