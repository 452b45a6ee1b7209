extension Task where Success == Void, Failure == Never {
  /// Starts a task that runs on the calling thread until it waits for the first time, where the system has
  /// that: one change of threads less. Only for callers that no actor waits for.
  package static func startingHere(
    _ operation: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return .immediate { await operation() }
    }
    return Task { await operation() }
  }
}
