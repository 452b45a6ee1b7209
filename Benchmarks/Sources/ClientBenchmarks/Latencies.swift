/// How long loads took.
enum Latencies {
  /// Loads so many times, 16 at once.
  ///
  /// - Returns: In how many nanoseconds 99 of 100 were done.
  static func tail(
    of count: Int, _ load: @escaping @Sendable () async throws -> Void
  ) async -> Int {
    let clock = ContinuousClock()
    let times = await withTaskGroup(of: [Duration].self) { group in
      for lane in 0..<16 {
        group.addTask {
          var times: [Duration] = []
          for _ in stride(from: lane, to: count, by: 16) {
            let start = clock.now
            await certainly(load)
            times.append(clock.now - start)
          }
          return times
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    let tail = times.sorted()[count * 99 / 100].components
    return Int(tail.seconds) * 1_000_000_000 + Int(tail.attoseconds / 1_000_000_000)
  }
}
