public import Dispatch

extension DispatchQueue: PromiseExecutor {
  /// Runs a job on this queue.
  ///
  /// - Parameter job: The job to run.
  public func schedule(_ job: @escaping @Sendable () -> Void) {
    async(execute: job)
  }
}

extension DispatchQueue {
  // On Linux each call of `main` and `global()` returns a new object for the same queue. Executors
  // are compared by identity, so each of these queues stores one object that represents it.
  private static let canonicalKey: DispatchSpecificKey<DispatchQueue> = {
    let key = DispatchSpecificKey<DispatchQueue>()
    let classes: [DispatchQoS.QoSClass] = [
      .background, .utility, .default, .userInitiated, .userInteractive,
    ]
    for queue in classes.map({ DispatchQueue.global(qos: $0) }) + [DispatchQueue.main] {
      queue.setSpecific(key: key, value: queue)
    }
    return key
  }()

  /// The object that represents this queue.
  @usableFromInline var canonical: DispatchQueue {
    #if canImport(Darwin)
      return self
    #else
      return getSpecific(key: Self.canonicalKey) ?? self
    #endif
  }
}
