#if Curl && os(Linux)
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// Randomly damaged responses: 2,000, or `RESOURCE_MUTATIONS`.
  @Suite(.inTurn, .timeLimit(.minutes(60)))
  struct MutationTests {
    private static let count =
      ProcessInfo.processInfo.environment["RESOURCE_MUTATIONS"].flatMap(Int.init) ?? 2_000

    /// Sends every sixteenth of them, one after another, and returns the number of complete
    /// responses.
    private static func load(
      _ request: WireRequest, over transport: CurlTransport, _ lane: Int
    ) async throws -> Int {
      var wholes = 0
      for _ in stride(from: lane, to: count, by: 16) {
        let log = ExchangeLog()
        _ = transport.start(request, receiver: log)
        let record = await log.end()
        try #require(record.ends.count == 1)
        if record.failure == nil { wholes += 1 }
      }
      return wholes
    }

    @Test func `an exchange with a damaged response ends once`() async throws {
      let mutation = Mutex(Mutation(seed: UInt64(Self.count)))
      let server = try UnixServer { _ in mutation.withLock { $0.next() } }
      var configuration = CurlTransport.Configuration()
      configuration.unixSocketPath = server.path
      let transport = CurlTransport(configuration)
      let url = try #require(URL(string: "http://127.0.0.1/"))
      let request = try WireRequest(Request(url: url))

      let wholes = try await withThrowingTaskGroup(of: Int.self) { group in
        for lane in 0..<16 {
          group.addTask { try await Self.load(request, over: transport, lane) }
        }
        return try await group.reduce(0, +)
      }
      server.stop()
      transport.close()

      // The damage has no effect on some responses, but on most.
      let share = Double(wholes) / Double(Self.count)
      #expect(share > 0.02 && share < 0.98)
    }
  }
#endif
