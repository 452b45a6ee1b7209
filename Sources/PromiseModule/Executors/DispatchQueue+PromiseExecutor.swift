public import Dispatch

extension DispatchQueue: PromiseExecutor {
  /// Runs a job on this queue.
  ///
  /// - Parameter job: What is to be run.
  public func schedule(_ job: @escaping @Sendable () -> Void) {
    async(execute: job)
  }
}

extension PromiseExecutor where Self == DispatchQueue {
  /// The main dispatch queue.
  ///
  /// A program on Linux drains it only if it calls `dispatchMain()`, runs a run loop, or has an
  /// `async` main: handlers wait there for ever otherwise.
  public static var main: DispatchQueue { DispatchQueue.main }
}

extension DispatchQueue {
  /// The queues of the system by their labels. On Linux each call of `main` and `global()` makes a new
  /// object for the same queue, and objects are what tells lanes apart.
  private static let ofSystem: [String: DispatchQueue] = {
    let classes: [DispatchQoS.QoSClass] = [
      .background, .utility, .default, .userInitiated, .userInteractive,
    ]
    let queues = classes.map { DispatchQueue.global(qos: $0) } + [DispatchQueue.main]
    return Dictionary(queues.map { ($0.label, $0) }) { first, _ in first }
  }()

  /// The one object that stands for this queue.
  @usableFromInline var canonical: DispatchQueue { Self.ofSystem[label] ?? self }
}
