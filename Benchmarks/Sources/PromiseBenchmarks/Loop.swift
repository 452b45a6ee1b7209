import NIOCore
import NIOPosix

/// The event loop on which SwiftNIO's side of a row runs.
enum Loop {
  static let shared: any EventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()

  /// Does work on the loop, where its futures need no hop, and waits for it.
  static func run(_ body: @escaping @Sendable (any EventLoop) -> Void) {
    let done = shared.submit { body(shared) }
    do { try done.wait() } catch { preconditionFailure("the loop is gone: \(error)") }
  }
}
