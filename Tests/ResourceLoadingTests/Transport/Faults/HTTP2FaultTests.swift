import ResourcePrimitives

#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// Faults of servers over HTTP/2, frame by frame.
  @Suite(.inTurn, .timeLimit(.minutes(10)), .needsOpenSSL)
  struct HTTP2FaultTests {
    private let authority: TLSAuthority

    init() throws { authority = try .withServer() }

    /// Commits a fault on each connection when the client has the head.
    private func serve(_ fault: HTTP2Fault, _ gate: Gate) throws -> ConnectionListener {
      let identity = TLSIdentity(authority, "good", speaksHTTP2: true)
      return try ConnectionListener { socket, _ in
        guard let channel = TLSPeer(identity, over: socket),
          let peer = HTTP2Peer(over: channel), let stream = peer.readRequest()
        else { return }
        precondition(stream == 1)
        if fault.isInBody {
          peer.send(.headers([(":status", "200")]), .data("part"))
          gate.blockUntilOpen()
        }
        channel.send(fault.bytes)
        switch fault.end {
        case .stays: peer.readToEnd()
        case .closes: channel.flush(channel.sealedGoodbye())
        case .breaksOff: socket.finish()
        case .resets: socket.reset()
        }
      }
    }

    @Test(arguments: HTTP2Fault.all)
    func `an exchange ends once, and a part of a body isn't complete`(
      _ fault: HTTP2Fault
    ) async throws {
      let gate = Gate()
      let server = try serve(fault, gate)
      defer { server.stop() }
      let transport = CurlTransport(authority.trusting)
      let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))

      let log = ExchangeLog { gate.open() }
      let exchange = transport.start(try WireRequest(Request(url: url)), receiver: log)
      // The test would wait for a missing end.
      let limit = DeadlineTimer(at: LoadClock.system.now() + .seconds(30), on: .system) {
        exchange.cancel()
        log.giveUp()
      }
      let record = await log.end()
      limit.cancel()
      gate.open()
      transport.close()

      record.check(fault.outcome)
      #expect(log.record.ends.count == 1)
    }
  }
#endif
