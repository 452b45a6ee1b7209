import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn, .timeLimit(.minutes(15)))
struct WebSocketMachineTests {
  private func bytes(
    _ opcode: WebSocketOpcode, _ payload: some Collection<UInt8> = [UInt8]()
  ) -> Data { Data(WebSocketFrame(opcode).bytes(payload, mask: nil)) }

  /// Takes all frames, and returns what they say.
  private func sent(_ machine: inout WebSocketMachine) throws -> [WebSocketReader.Event] {
    var reader = WebSocketReader(limit: .max, isMasked: true)
    var events: [WebSocketReader.Event] = []
    var frames: [WebSocketMachine.Frame] = []
    while let frame = machine.nextFrame() { frames.append(frame) }
    for frame in frames {
      try reader.read(frame.bytes, into: &events)
      for wake in machine.taken(frame.origin, true).wakes { wake() }
    }
    return events
  }

  private func read(_ machine: inout WebSocketMachine) async throws -> WebSocket.Message? {
    try await withCheckedThrowingContinuation { reader in
      for wake in machine.read(reader).wakes { wake() }
    }
  }

  @Test func `unread messages stop the reading until some are read`() async throws {
    var machine = WebSocketMachine(.init(), nil)
    let message = bytes(.binary, Data(count: 100_000))

    for _ in 0..<2 { _ = machine.receive(message) }
    #expect(!machine.isFull)
    _ = machine.receive(message)
    #expect(machine.isFull)

    _ = try await read(&machine)
    #expect(!machine.isFull)
  }

  /// A connection that doesn't read because its messages aren't read.
  private func fullMachine() -> WebSocketMachine {
    var machine = WebSocketMachine(.init(), nil)
    for _ in 0..<3 { _ = machine.receive(bytes(.binary, Data(count: 100_000))) }
    return machine
  }

  @Test func `silence says nothing while messages are unread, unless nothing is taken either`()
    throws
  {
    var machine = fullMachine()
    let errors = Mutex<[LoadError.Kind?]>([])
    var before = machine.progress
    for wake in machine.judgeSilence(since: before, for: .seconds(60)).wakes { wake() }
    #expect(!machine.isOver)

    before = machine.progress
    _ = machine.send("a", as: machine.ticket()) { error in
      errors.withLock { $0.append((error as? LoadError)?.kind) }
    }
    let frame = machine.nextFrame()
    for wake in machine.taken(try #require(frame).origin, true).wakes { wake() }
    _ = machine.send("b", as: machine.ticket()) { error in
      errors.withLock { $0.append((error as? LoadError)?.kind) }
    }
    _ = machine.judgeSilence(since: before, for: .seconds(60))
    #expect(!machine.isOver)

    let action = machine.judgeSilence(since: machine.progress, for: .seconds(60))
    for wake in action.wakes { wake() }
    #expect(action.ends)
    #expect(errors.withLock { $0 } == [nil, .timedOut])
    #expect(machine.undelivered == ["b"])
  }

  @Test func `a ping fails whose pong stands behind messages that nobody reads`() async throws {
    var machine = fullMachine()
    let errors = Mutex<[LoadError.Kind?]>([])
    func ping() {
      _ = machine.ping(as: machine.ticket()) { error in
        errors.withLock { $0.append((error as? LoadError)?.kind) }
      }
    }
    func judge(since before: WebSocketMachine.Progress) {
      for wake in machine.judgeSilence(since: before, for: .seconds(60)).wakes { wake() }
    }
    judge(since: machine.progress)
    ping()
    judge(since: WebSocketMachine.Progress(arrivals: 3))
    #expect(errors.withLock { $0.isEmpty })
    _ = try sent(&machine)
    judge(since: machine.progress)
    #expect(errors.withLock { $0 } == [.timedOut])

    // Whoever reads gets on.
    ping()
    let before = machine.progress
    for _ in 0..<2 { _ = try await read(&machine) }
    _ = machine.receive(bytes(.binary, Data(count: 200_000)))
    judge(since: before)
    #expect(errors.withLock { $0.count } == 1)
    #expect(!machine.isOver)
  }

  @Test func `a closing socket reads on, and keeps no more than it did`() async throws {
    var machine = WebSocketMachine(.init(), nil)
    let message = bytes(.binary, Data(count: 100_000))
    for _ in 0..<3 { _ = machine.receive(message) }

    await withCheckedContinuation { closer in
      _ = machine.close(WebSocket.Closure(code: .normal), closer)
      #expect(!machine.isFull)
      for _ in 0..<100 { _ = machine.receive(message) }
      _ = machine.receive(bytes(.close))
      for wake in machine.end(nil).wakes { wake() }
    }

    var count = 0
    while try await read(&machine) != nil { count += 1 }
    #expect(count == 3)
  }

  @Test func `of pings that come much faster than pongs are sent the last is answered`() throws {
    var machine = WebSocketMachine(.init(), nil)

    for number in 0..<1000 { _ = machine.receive(bytes(.ping, Array("\(number)".utf8))) }

    #expect(try sent(&machine) == (0..<64).map { .pong(Array("\($0)".utf8)) })
    #expect(try sent(&machine) == [.pong(Array("999".utf8))])
    #expect(try sent(&machine) == [])
    _ = machine.receive(bytes(.ping))
    #expect(try sent(&machine) == [.pong([])])
  }

  @Test func `a pong answers the pings before it as well`() throws {
    var machine = WebSocketMachine(.init(), nil)
    let answered = Mutex<[Int]>([])
    for _ in 0..<3 {
      let ticket = machine.ticket()
      _ = machine.ping(as: ticket) { _ in answered.withLock { $0.append(ticket) } }
    }
    let pings = try sent(&machine)

    guard case .ping(let payload) = pings[1] else { throw CancellationError() }
    for wake in machine.receive(bytes(.pong, payload)).wakes { wake() }

    #expect(answered.withLock { $0 } == [1, 2])
  }

  @Test func `messages that weren't taken are known at the end, and their senders get an error`()
    throws
  {
    var machine = WebSocketMachine(.init(), nil)
    let errors = Mutex<[Bool]>([])
    for message in ["a", "b", "c"] as [WebSocket.Message] {
      _ = machine.send(message, as: machine.ticket()) { error in
        errors.withLock { $0.append(error != nil) }
      }
    }
    let next = machine.nextFrame()
    let first = try #require(next)
    for wake in machine.taken(first.origin, true).wakes { wake() }
    #expect(machine.undelivered == [])

    for wake in machine.end(nil).wakes { wake() }

    #expect(errors.withLock { $0 } == [false, true, true])
    #expect(machine.undelivered == ["b", "c"])
  }

  @Test func `a socket that ends without a close frame has failed, and says so once`()
    async throws
  {
    var machine = WebSocketMachine(.init(), nil)
    let end = Mutex<LoadError?>(nil)
    _ = machine.waitForEnd(as: machine.ticket()) { error in
      end.withLock { $0 = error as? LoadError }
    }

    for wake in machine.end(nil).wakes { wake() }

    #expect(end.withLock { $0?.kind } == .connection)
    await #expect(throws: LoadError.self) { try await read(&machine) }
    #expect(try await read(&machine) == nil)
  }

  /// The reasons of the errors that a caller has been given.
  private final class Reasons: Sendable {
    private let reasons = Mutex<[String]>([])
    var all: [String] { reasons.withLock { $0 } }

    func note(_ error: (any Error)?) {
      reasons.withLock { $0.append((error as? LoadError)?.reason ?? "\(error as Any)") }
    }
  }

  private func refuseNext(_ machine: inout WebSocketMachine) throws {
    let next = machine.nextFrame()
    for wake in machine.taken(try #require(next).origin, false).wakes { wake() }
  }

  @Test func `a message that is refused fails with the reason of the end`() throws {
    var machine = WebSocketMachine(.init(), nil)
    let reasons = Reasons()
    _ = machine.send("a", as: machine.ticket()) { reasons.note($0) }

    try refuseNext(&machine)
    for wake in machine.connectionEnded(LoadError(.connection, "reset")).wakes { wake() }
    #expect(reasons.all == [])
    for wake in machine.end(LoadError(.connection, "reset")).wakes { wake() }
    for wake in machine.send("b", as: machine.ticket(), { reasons.note($0) }).wakes { wake() }

    #expect(reasons.all == ["reset", "reset"])
  }

  @Test func `a message that is refused fails with the closure that is read later`() throws {
    var machine = WebSocketMachine(.init(), nil)
    let reasons = Reasons()
    _ = machine.send("a", as: machine.ticket()) { reasons.note($0) }

    try refuseNext(&machine)
    _ = machine.connectionEnded(nil)
    _ = machine.receive(bytes(.close, [0x03, 0xF1] + Array("too much".utf8)))
    for wake in machine.end(nil).wakes { wake() }

    #expect(reasons.all == ["the server closed the socket: 1009, too much"])
  }

  @Test func `after a violation, messages fail with it`() throws {
    var machine = WebSocketMachine(.init(), nil)
    let reasons = Reasons()

    _ = machine.receive(bytes(.text, [0xFF]))
    for wake in machine.send("a", as: machine.ticket(), { reasons.note($0) }).wakes { wake() }

    #expect(reasons.all.first?.hasPrefix("the server broke the WebSocket protocol") == true)
  }

  @Test(arguments: [false, true])
  func `nobody but a reader waits for messages to be read when the connection is gone`(
    isGoneFirst: Bool
  ) async throws {
    var machine = WebSocketMachine(.init(), nil)
    let reasons = Reasons()
    let message = bytes(.binary, Data(count: 100_000))
    for _ in 0..<3 { _ = machine.receive(message) }
    let failure = LoadError(.connection, "reset")
    _ = machine.send("a", as: machine.ticket()) { reasons.note($0) }
    _ = machine.ping(as: machine.ticket()) { reasons.note($0) }
    _ = machine.waitForEnd(as: machine.ticket()) { reasons.note($0) }

    if isGoneFirst { for wake in machine.connectionEnded(failure).wakes { wake() } }
    #expect(reasons.all == [])
    await withCheckedContinuation { pump in
      var wakes = machine.wait(pump).wakes
      if !isGoneFirst { wakes += machine.connectionEnded(failure).wakes }
      for wake in wakes { wake() }
      #expect(reasons.all == ["reset", "reset", "reset"])

      _ = machine.send("b", as: machine.ticket()) { reasons.note($0) }
      while let frame = machine.nextFrame() {
        for wake in machine.taken(frame.origin, false).wakes { wake() }
      }
      for wake in machine.ping(as: machine.ticket(), { reasons.note($0) }).wakes { wake() }
      for wake in machine.waitForEnd(as: machine.ticket(), { reasons.note($0) }).wakes { wake() }
      #expect(reasons.all.count == 6)
      #expect(machine.undelivered == ["a", "b"])
      for wake in machine.end(failure).wakes { wake() }
    }
  }
}
