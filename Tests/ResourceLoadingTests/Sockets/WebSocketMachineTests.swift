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
}
