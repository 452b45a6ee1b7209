#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// Bodies without a length that end with their HTTP/2 connection, with other streams and in
  /// files.
  @Suite(.inTurn, .timeLimit(.minutes(10)), .needsOpenSSL)
  struct HTTP2CutTests {
    private let authority: TLSAuthority

    init() throws { authority = try .withServer() }

    /// Begins to respond to `count` requests, and sends some frames when the gate is open.
    private func makeServer(
      _ count: Int, _ gate: Gate, then frames: [HTTP2Frame], closes: Bool = false
    ) throws -> ConnectionListener {
      let identity = TLSIdentity(authority, "good", speaksHTTP2: true)
      return try ConnectionListener { socket, _ in
        guard let channel = TLSPeer(identity, over: socket), let peer = HTTP2Peer(over: channel)
        else { return }
        let streams = (0..<count).compactMap { _ in peer.readRequest() }
        // What the client writes while it receives is told from a GOAWAY by its size only, and a
        // response counts as cut in case of doubt.
        peer.readAcknowledgement()
        for stream in streams {
          peer.send(.headers([(":status", "200")], on: stream), .data("part", on: stream))
        }
        gate.blockUntilOpen()
        channel.send(frames.flatMap(\.bytes))
        // When the client reports an error.
        if closes { while peer.readFrame().map({ $0.kind != HTTP2Frame.Kind.goAway }) ?? false {} }
        if closes { channel.flush(channel.sealedGoodbye()) } else { peer.readToEnd() }
      }
    }

    /// Starts exchanges, opens the gate when all have their heads, and returns how they ended.
    private func exchange(
      _ count: Int, then frames: [HTTP2Frame], closes: Bool = false
    ) async throws -> [ExchangeLog.Record] {
      let (gate, heads) = (Gate(), AsyncStream<Void>.makeStream())
      let server = try makeServer(count, gate, then: frames, closes: closes)
      defer { server.stop() }
      let transport = CurlTransport(authority.trusting)
      defer { transport.close() }
      let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
      let logs = (0..<count).map { _ in ExchangeLog { heads.continuation.yield() } }
      for log in logs { _ = transport.start(try WireRequest(Request(url: url)), receiver: log) }
      for await _ in heads.stream.prefix(count) {}
      gate.open()
      var records = [ExchangeLog.Record]()
      for log in logs { records.append(await log.end()) }
      return records
    }

    @Test(arguments: [2, 20])
    func `an error of the connection cuts all its streams`(_ count: Int) async throws {
      let records = try await exchange(
        count, then: [HTTP2Frame(kind: HTTP2Frame.Kind.data, payload: [1])])

      #expect(records.map(\.failure?.kind) == Array(repeating: .connection, count: count))
    }

    @Test(arguments: [2, 20])
    func `streams that end after a GOAWAY are complete`(_ count: Int) async throws {
      let streams = (0..<count).map { UInt32($0 * 2 + 1) }

      let records = try await exchange(
        count, then: [.goAway(streams.last ?? 0)] + streams.map { .data("", ends: true, on: $0) })

      #expect(records.allSatisfy { $0.failure == nil && $0.body == Data("part".utf8) })
    }

    @Test(arguments: [false, true])
    func `a stream that ends doesn't hide that its connection fails for the others`(
      _ closes: Bool
    ) async throws {
      let records = try await exchange(
        3,
        then: [
          .data("y", ends: true, on: 3), HTTP2Frame(kind: HTTP2Frame.Kind.ping, payload: [1]),
        ], closes: closes)

      // The connection has already ended when libcurl checks, so a complete stream may count as
      // cut.
      #expect(records[0].failure != nil && records[2].failure != nil)
      #expect(records[1].failure != nil || records[1].body == Data("party".utf8))
    }

    @Test func `each of many connections that end with a GOAWAY has a complete response`()
      async throws
    {
      let identity = TLSIdentity(authority, "good", speaksHTTP2: true)
      let server = try ConnectionListener { socket, _ in
        guard let channel = TLSPeer(identity, over: socket), let peer = HTTP2Peer(over: channel),
          let stream = peer.readRequest()
        else { return }
        peer.send(
          .goAway(stream), .headers([(":status", "200")], on: stream),
          .data("whole", on: stream), .data("", ends: true, on: stream))
        peer.readToEnd()
      }
      defer { server.stop() }
      let transport = CurlTransport(authority.trusting)
      defer { transport.close() }
      let client = Client(baseURL: URL(string: "https://127.0.0.1:\(server.port)")) {
        $0.transport = transport
      }

      for _ in 0..<50 { #expect(try await client.load(.text(.get("/"))) == "whole") }
    }

    @Test func `a file that was cut isn't complete`() async throws {
      let gate = Gate()
      let server = try makeServer(
        1, gate, then: [HTTP2Frame(kind: HTTP2Frame.Kind.data, payload: [1])])
      defer { server.stop() }
      gate.open()
      let transport = CurlTransport(authority.trusting)
      defer { transport.close() }
      let client = Client(baseURL: URL(string: "https://127.0.0.1:\(server.port)")) {
        $0.transport = transport
      }
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appending(path: "file")

      let error = await #expect(throws: LoadError.self) {
        try await client.load(.download(.get("/"), to: file))
      }

      #expect(error?.kind == .connection)
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }
#endif
