/// How long loads took.
enum Latencies {
  /// Loads so many times, one each millisecond whether those before it are done or not, as a
  /// program does that is used: as many as can be would fill all processors by themselves.
  ///
  /// - Returns: In how many nanoseconds 99 of 100 were done, since their moment had come.
  static func tail(
    of count: Int, _ load: @escaping @Sendable () async throws -> Void
  ) async -> Int {
    let clock = ContinuousClock()
    let start = clock.now
    let times = await withTaskGroup(of: Duration.self) { group in
      for number in 0..<count {
        let due = start + .milliseconds(number)
        try? await clock.sleep(until: due)
        group.addTask {
          await certainly(load)
          return clock.now - due
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let tail = times.sorted()[count * 99 / 100].components
    return Int(tail.seconds) * 1_000_000_000 + Int(tail.attoseconds / 1_000_000_000)
  }
}
