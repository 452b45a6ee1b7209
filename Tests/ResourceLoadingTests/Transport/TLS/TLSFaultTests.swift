#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// Faults of servers in TLS, record by record.
  @Suite(.inTurn, .timeLimit(.minutes(10)), .needsOpenSSL)
  struct TLSFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
      var fault: TLSFault
      var version: TLSIdentity.Version
      var framing: TLSFault.Framing

      var testDescription: String { "\(fault.name), \(version), \(framing)" }

      static let all = TLSFault.all.flatMap { fault in
        fault.versions.flatMap { version in
          TLSFault.Framing.allCases.map { Case(fault: fault, version: version, framing: $0) }
        }
      }
    }

    private let authority: TLSAuthority

    init() throws { authority = try .withServer() }

    @Test(arguments: Case.all)
    func `an exchange ends once, and a cut body isn't complete`(_ row: Case) async throws {
      let (gate, identity) = (Gate(), TLSIdentity(authority, "good", row.version))
      let server = try ConnectionListener { socket, _ in
        guard let peer = TLSPeer(identity, over: socket), peer.readHead() != nil else { return }
        let isChunked = row.framing == .chunks
        peer.send(
          "HTTP/1.1 200 OK\r\n\(row.framing.rawValue)\r\n\r\n\(isChunked ? "2\r\nhe\r\n" : "he")")
        gate.blockUntilOpen()
        row.fault.commit(peer, socket, Array((isChunked ? "3\r\nllo\r\n0\r\n\r\n" : "llo").utf8))
      }
      defer { server.stop() }
      let transport = CurlTransport(authority.trusting)
      let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))

      let log = ExchangeLog { gate.open() }
      _ = transport.start(try WireRequest(Request(url: url)), receiver: log)
      let record = await log.end()
      // Without a head it is still closed.
      gate.open()
      transport.close()

      if let isWhole = row.fault.isWhole(row.framing) {
        #expect((record.failure == nil) == isWhole, "\(String(describing: record.failure))")
      }
      if record.failure == nil, row.framing != .nothing {
        #expect(record.body == Data("hello".utf8))
      }
      #expect(log.record.ends.count == 1)
    }
  }
#endif
