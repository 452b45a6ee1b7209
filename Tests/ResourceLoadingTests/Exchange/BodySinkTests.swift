import Foundation
import ResourcePrimitives
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

/// What happens to a load while its sink completes the body.
@Suite(.timeLimit(.minutes(10)))
struct BodySinkTests {
  private final class EndedExchange: Exchange {
    func cancel() {}
  }

  /// Runs a closure before and one after it asks whether the body is still wanted.
  private final class ObservedSink: BodySink {
    let before = Mutex<@Sendable () -> Void>({})
    let after = Mutex<@Sendable () -> Void>({})
    let wasWanted = Mutex<Bool?>(nil)
    let offset = 0

    func begin(_ head: ResponseHead) -> SinkDemand { .body }
    func write(_ chunk: Data) {}
    func finish(_ isWanted: () -> Bool) throws {
      before.withLock(\.self)()
      let isWanted = isWanted()
      wasWanted.withLock { $0 = isWanted }
      guard isWanted else { throw CancellationError() }
      after.withLock(\.self)()
    }
    func abandon() {}
    func complete(_ response: inout Response) {}
  }

  private func load(
    into sink: ObservedSink, with accumulator: ResponseAccumulator
  ) async throws -> AccumulatedResponse {
    try await accumulator.response {
      accumulator.received(ResponseHead(status: .ok, headers: [:]))
      accumulator.received(Data("abc".utf8))
      accumulator.finished(nil)
      return EndedExchange()
    }.0
  }

  @Test func `a load that fails before its body can be seen hides it`() async throws {
    let sink = ObservedSink()
    let accumulator = ResponseAccumulator(limits: ExchangeLimits(), sink: sink)
    sink.before.withLock { $0 = { accumulator.cancel() } }

    await #expect(throws: CancellationError.self) { try await load(into: sink, with: accumulator) }

    #expect(sink.wasWanted.withLock(\.self) == false)
  }

  @Test func `a load whose body can be seen doesn't fail`() async throws {
    let sink = ObservedSink()
    let accumulator = ResponseAccumulator(limits: ExchangeLimits(), sink: sink)
    sink.after.withLock { $0 = { accumulator.cancel() } }

    let response = try await load(into: sink, with: accumulator)

    #expect(response.size == 3)
    #expect(sink.wasWanted.withLock(\.self) == true)
  }

  @Test func `a failure that a transport reports after the end changes nothing`() async throws {
    let sink = ObservedSink()
    let accumulator = ResponseAccumulator(limits: ExchangeLimits(), sink: sink)
    sink.before.withLock { $0 = { accumulator.finished(LoadError(.connection, "late")) } }

    #expect(try await load(into: sink, with: accumulator).size == 3)
  }

  @Test func `only the deadline applies while the disk is slow`() {
    let clock = ManualClock()
    var limits = ExchangeLimits()
    (limits.clock, limits.idle) = (LoadClock(clock), .seconds(2))
    limits.throughput = .init(bytes: 1, per: .seconds(1))
    limits.deadline = limits.clock.now() + .seconds(100)
    var state = ResponseAccumulatorState(limits: limits)
    _ = state.receive(ResponseHead(status: .ok, headers: [:]), isRedirect: false)
    _ = state.serve(.body)
    _ = state.receive(Data("abc".utf8))

    let end = state.end(nil)
    clock.advance(by: .seconds(50))
    let check = state.check()

    #expect(end.finishesSink)
    #expect(state.nextCheck == limits.deadline)
    #expect(!check.abandonsSink)
    clock.advance(by: .seconds(50))
    let late = state.check()
    let isWanted = state.commit()
    #expect(late.abandonsSink)
    #expect(!isWanted)
  }

  @Test func `nothing applies once the body can be seen`() {
    let clock = ManualClock()
    var limits = ExchangeLimits()
    limits.clock = LoadClock(clock)
    limits.deadline = limits.clock.now() + .seconds(100)
    var state = ResponseAccumulatorState(limits: limits)
    _ = state.receive(ResponseHead(status: .ok, headers: [:]), isRedirect: false)
    _ = state.serve(.end)
    _ = state.end(nil)

    let isWanted = state.commit()
    clock.advance(by: .seconds(200))
    let check = state.check()

    #expect(isWanted)
    #expect(!check.abandonsSink)
    #expect(state.nextCheck == nil)
  }

  @Test(arguments: [false, true])
  func `a file that is no longer wanted isn't moved`(_ resuming: Bool) throws {
    let directory = TemporaryDirectory()
    let file = directory.url.appending(path: "file.bin")
    var options = DownloadOptions()
    options.isResumable = resuming
    let destination = FileDestination(file, options, accepted: .successful)
    let sink = FileSink(
      destination, try destination.part.open(), asked: nil, url: URL(filePath: "/"))
    _ = try sink.begin(ResponseHead(status: .ok, headers: [.eTag: #""v1""#]))
    try sink.write(Data("abc".utf8))

    #expect(throws: CancellationError.self) { try sink.finish { false } }
    sink.abandon()

    #expect(try directory.names == (resuming ? ["file.bin.part", "file.bin.part.json"] : []))
  }
}
