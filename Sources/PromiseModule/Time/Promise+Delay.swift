extension Promise where Value == Void {
  /// A promise that is fulfilled after some time.
  ///
  /// - Parameters:
  ///   - duration: How long it takes; at once if it isn't positive.
  ///   - clock: Measures the time.
  /// - Returns: The promise. Cancelling it stops the timer.
  public static func delay(
    for duration: Duration, clock: some Clock<Duration> = .continuous
  ) -> Promise<Void> {
    Promise { try await clock.sleep(for: duration) }
  }
}

extension Promise {
  /// Gives this promise limited time.
  ///
  /// - Parameters:
  ///   - duration: How long it may take, from now.
  ///   - clock: Measures the time.
  /// - Returns: A promise with this one's outcome. If it isn't there in time, a ``TimeoutError``
  ///   rejects it, and the interest in this promise is given up: if nobody else waits for it, it is
  ///   cancelled. The timer stops when the outcome has come first.
  public func timeout(
    after duration: Duration, clock: some Clock<Duration> = .continuous
  ) -> Promise<Value> {
    let timer = Promise<Void>.delay(for: duration, clock: clock)
    let group = Group(self, timer)
    let limited = Promise(origin: .upstream(group))
    var worklist = Worklist(lane: .inline)
    report(to: limited, in: group, &worklist) { result in
      result
    } finish: {
      .failure(TimeoutError(after: duration))
    }
    timer.report(to: limited, in: group, &worklist) { result in
      .failure(result.failure ?? TimeoutError(after: duration))
    } finish: {
      .failure(TimeoutError(after: duration))
    }
    worklist.drain()
    return limited
  }
}
