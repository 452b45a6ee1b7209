/// Does something so many times, so many at once.
func run(
  _ count: Int, inFlight width: Int, _ load: @escaping @Sendable () async throws -> Void
) async {
  guard width > 1 else {
    for _ in 0..<count { await certainly(load) }
    return
  }
  await withTaskGroup(of: Void.self) { group in
    for lane in 0..<width {
      group.addTask {
        for _ in stride(from: lane, to: count, by: width) { await certainly(load) }
      }
    }
  }
}

/// A load that fails costs less, and makes a row a lie.
func certainly(_ load: @Sendable () async throws -> Void) async {
  do { try await load() } catch { preconditionFailure("a load failed: \(error)") }
}
