#if Curl && os(Linux)
  import Foundation
  import ResourceLoading
  import ResourceTesting
  import Synchronization
  import TestSupport
  import Testing

  /// Requests over HTTP/2 that the server says it hasn't processed (RFC 9113 section 8.7).
  @Suite(.inTurn, .timeLimit(.minutes(10)), .needsOpenSSL)
  struct UnprocessedRequestTests {
    /// How a server refuses the first request of a connection.
    enum Refusal: CaseIterable, Sendable {
      case goAway, goAwayAndClosed, refusedStream

      var frame: HTTP2Frame {
        // REFUSED_STREAM has the code 7.
        self == .refusedStream ? .reset(7) : .goAway(0)
      }
    }

    /// Sends one request to a server that refuses it on some connections. Returns the response, and
    /// the number of connections on which the request arrived.
    private func load(
      _ method: Request.Method, _ refusal: Refusal, on refusingConnections: Int
    ) async throws -> (result: Result<String, any Error>, arrivals: Int) {
      let authority = try TLSAuthority.withServer()
      let identity = TLSIdentity(authority, "good", speaksHTTP2: true)
      let arrivals = Mutex(0)
      let server = try ConnectionListener { socket, _ in
        guard let channel = TLSPeer(identity, over: socket), let peer = HTTP2Peer(over: channel),
          let stream = peer.readRequest()
        else { return }
        let number = arrivals.withLock {
          $0 += 1
          return $0
        }
        guard number <= refusingConnections else {
          peer.send(
            .headers([(":status", "200")], on: stream), .data("ok", ends: true, on: stream))
          peer.readToEnd()
          return
        }
        peer.send(refusal.frame)
        if refusal == .goAwayAndClosed {
          channel.flush(channel.sealedGoodbye())
        } else {
          peer.readToEnd()
        }
      }
      defer { server.stop() }
      let transport = CurlTransport(authority.trusting)
      defer { transport.close() }
      let client = Client(baseURL: URL(string: "https://127.0.0.1:\(server.port)")) {
        $0.transport = transport
      }
      let result: Result<String, any Error>
      do {
        result = .success(try await client.load(.text(Request(method, "/"))))
      } catch {
        result = .failure(error)
      }
      return (result, arrivals.withLock(\.self))
    }

    @Test(arguments: Refusal.allCases, [1, 3])
    func `a request that the server hasn't processed is sent on another connection`(
      _ refusal: Refusal, _ refusingConnections: Int
    ) async throws {
      let (result, arrivals) = try await load(.get, refusal, on: refusingConnections)

      #expect(try result.get() == "ok")
      #expect(arrivals == refusingConnections + 1)
    }

    /// libcurl doesn't say why it sends a request again.
    @Test(arguments: Refusal.allCases)
    func `a request with effects isn't sent again`(_ refusal: Refusal) async throws {
      let (result, arrivals) = try await load(.post, refusal, on: 1)

      let error = #expect(throws: LoadError.self) { try result.get() }
      #expect(error?.kind == .connection)
      #expect(arrivals == 1)
    }
  }
#endif
