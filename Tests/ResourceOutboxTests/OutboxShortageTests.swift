import ResourceStore
import StoreTestSupport

#if os(Linux)
  import Foundation
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceOutbox

  /// Temporary shortages of this machine, and single read errors.
  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct OutboxShortageTests {
    @Test(arguments: [
      (SimulatedDisk.Call.open, EMFILE), (.read, EIO), (.write, EIO), (.write, ENOSPC),
      (.synchronize, EIO), (.map, ENOMEM),
    ])
    func `a disk call that fails once parks nothing, loses nothing and repeats nothing`(
      call: SimulatedDisk.Call, system: Int32
    ) async throws {
      let index = SimulatedDisk.Call.allCases.firstIndex(of: call) ?? 0
      await #expect(processExitsWith: .success) {
        [index = index as Int, system = system as Int32] in
        Watchdog.endsProcess()
        let call = SimulatedDisk.Call.allCases[index]
        // The first number of calls that is never reached is the end.
        for skipped in 0..<200 {
          let failure = SimulatedDisk.Failure(call: call, skipped: skipped, system: system)
          guard try await Self.send(with: failure) else { return }
        }
      }
    }

    /// Sends three writes while one call fails. Returns whether it has failed.
    private static func send(with failure: SimulatedDisk.Failure) async throws -> Bool {
      SimulatedDisk.fail(.init(call: failure.call, skipped: .max, system: 0))
      let fixture = try OutboxFixture()
      fixture.transport.stub("*") { request in
        do { _ = try request.body?.data() } catch { return .error(error) }
        return .json("{}")
      }
      let (store, outbox) = try await fixture.open()
      try await outbox.pause()
      try await outbox.add(.put("/a").body(.data(Data(count: 50_000))), as: "a")
      try await outbox.add(.post("/b").body(.data(Data(count: 100_000))), as: "b")
      try await outbox.add(.post("/c"), as: "c", after: "a")

      SimulatedDisk.fail(failure)
      while (try? await outbox.resume()) == nil {}
      let clock = fixture.clock
      let time = Task {
        while !Task.isCancelled {
          try await clock.waitForSleepers(count: 1, within: .seconds(1))
          clock.advance(by: .seconds(1))
        }
      }
      let isDone: ([OutboxEntry]) -> Bool = { entries in
        entries.allSatisfy { [.parked, .uncertain].contains($0.state) }
      }
      while (try? await outbox.wait(until: isDone)) == nil {}
      time.cancel()
      let hasFailed = SimulatedDisk.hasFailed
      SimulatedDisk.fail(.init(call: failure.call, skipped: .max, system: 0))

      let left = try await outbox.currentEntries()
      #expect(left.isEmpty, "\(failure): \(left.map { ($0.target, $0.error?.reason) })")
      #expect(fixture.sent.sorted() == ["POST /v1/b", "POST /v1/c", "PUT /v1/a"], "\(failure)")
      await outbox.close()
      await store.close()
      return hasFailed
    }

    @Test(arguments: [false, true])
    func `a write is sent later if its file can't be opened without descriptors`(
      isRepeatable: Bool
    ) async throws {
      await #expect(processExitsWith: .success) { [isRepeatable = isRepeatable as Bool] in
        Watchdog.endsProcess()
        let fixture = try OutboxFixture()
        fixture.transport.stub("*") { request in
          do { _ = try request.body?.data() } catch { return .error(error) }
          return .json("{}")
        }
        let (store, outbox) = try await fixture.open()
        var events = outbox.events.makeAsyncIterator()
        let limit = Descriptors.setLimit(0)
        let request = isRepeatable ? Request.put("/a") : Request.post("/a")
        try? await outbox.pause()
        Descriptors.setLimit(limit)
        let receipt = try await outbox.add(request.body(.data(Data(count: 100_000))), as: "a")
        Descriptors.setLimit(0)
        try await outbox.resume()

        var failure: LoadError?
        while failure == nil, let event = await events.next() {
          switch event {
          case .waiting(_, let error): failure = error
          case .parked, .uncertain, .failed: Issue.record("\(event)")
          default: break
          }
        }
        #expect(failure?.reason.hasSuffix("can't be sent: Too many open files") == true)
        #expect(failure?.advice?.contains("ulimit -n") == true)
        Descriptors.setLimit(limit)
        try await fixture.clock.waitForSleepers(count: 1, within: .seconds(1))
        fixture.clock.advance(by: .seconds(1))

        #expect(try await receipt.answer().status == 200)
        #expect(try await outbox.count() == 0)
        await store.close()
      }
    }
  }
#endif
