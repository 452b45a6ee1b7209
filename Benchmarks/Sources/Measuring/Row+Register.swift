import Rows

extension Row {
  /// Registers a subject's way of doing the work of this row.
  ///
  /// - Parameter body: Does it as often as it is told.
  public func register(_ subject: Subject, _ body: @escaping @Sendable (Int) -> Void) {
    register(subject, given: {}, { count, _ in body(count) })
  }

  /// Registers a subject's way of doing the work of this row, with things that are made before each
  /// round and freed after it, out of the measurement.
  public func register<Things>(
    _ subject: Subject, given prepare: @escaping @Sendable () -> Things,
    _ body: @escaping @Sendable (Int, Things) -> Void
  ) {
    Suite.add(
      Contender(subject: subject) {
        let things = prepare()
        let stopwatch = Stopwatch()
        body(operations, things)
        let costs = stopwatch.stop()
        withExtendedLifetime(things) {}
        return costs
      }, to: self)
  }

  /// Registers a subject's way of doing the work of this row, asynchronously.
  ///
  /// - Parameter body: Does it as often as it is told.
  public func registerAsync(_ subject: Subject, _ body: @escaping @Sendable (Int) async -> Void) {
    registerAsync(subject, given: {}, { count, _ in await body(count) })
  }

  /// Registers a subject's way of doing the work of this row, asynchronously, with things that are
  /// made before each round and freed after it, out of the measurement.
  public func registerAsync<Things: Sendable>(
    _ subject: Subject, given prepare: @escaping @Sendable () async -> Things,
    _ body: @escaping @Sendable (Int, Things) async -> Void
  ) {
    Suite.add(
      Contender(subject: subject) {
        waiting { await measure(await prepare(), body) }
      }, to: self)
  }

  /// Registers a subject's way of doing the work of this row, asynchronously, with things that are
  /// made before the first round and serve all of them.
  public func registerAsync<Things: Sendable>(
    _ subject: Subject, givenOnce prepare: @escaping @Sendable () async -> Things,
    _ body: @escaping @Sendable (Int, Things) async -> Void
  ) {
    let once = Once { waiting(for: prepare) }
    Suite.add(
      Contender(subject: subject) {
        let things = once.things
        return waiting { await measure(things, body) }
      }, to: self)
  }

  private func measure<Things: Sendable>(
    _ things: Things, _ body: @Sendable (Int, Things) async -> Void
  ) async -> [Measure: Int] {
    let stopwatch = Stopwatch()
    await body(operations, things)
    let costs = stopwatch.stop()
    withExtendedLifetime(things) {}
    return costs
  }
}
