#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import Synchronization
  import TestSupport
  import Testing

  @testable import ResourceLoading

  @Suite(.inTurn, .timeLimit(.minutes(10)))
  struct CodedBodyTests {
    private func send(
      _ script: Script, accepting: String? = nil, _ method: Request.Method = .get
    ) async throws -> (record: ExchangeLog.Record, accepted: String?) {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in script } }
      defer { server.stop() }
      let transport = CurlTransport()
      defer { transport.close() }
      var request = Request(method, url: server.url())
      request.headers[.acceptEncoding] = accepting

      let log = ExchangeLog()
      _ = transport.start(try WireRequest(request), receiver: log)
      let record = await log.end()
      return (record, server.requests.first?.header("Accept-Encoding"))
    }

    private static let accepted = [nil, "gzip", "gzip, br", "br", "zstd, gzip", "identity", "*"]

    @Test(arguments: accepted)
    func `a body that doesn't match its coding is an error`(_ accepted: String?) async throws {
      let (plain, _) = try await send(
        .response(headers: ["Content-Encoding": "gzip"], body: "hello plain text"),
        accepting: accepted)
      let whole = Compression.gzip.compress(Data(repeating: 7, count: 68_000), 1)
      for count in [1, whole.count / 2, whole.count - 1] {
        let (cut, _) = try await send(
          .response(headers: ["Content-Encoding": "gzip"], body: whole.prefix(count)),
          accepting: accepted)
        #expect(cut.failure?.kind == .connection, "\(count) bytes")
      }

      #expect(plain.failure?.kind == .connection)
    }

    @Test(arguments: accepted)
    func `gzip is decoded, even if it wasn't requested`(_ accepted: String?) async throws {
      let (record, sent) = try await send(
        .response(headers: ["Content-Encoding": "gzip"], body: Fault.gzip), accepting: accepted)

      #expect(sent == accepted ?? "gzip, deflate, br, zstd")
      #expect(String(decoding: record.body, as: UTF8.self) == "hello")
      #expect(record.heads.last?.headers[.contentEncoding] == nil)
      #expect(record.heads.last?.headers[.contentLength] == nil)
    }

    @Test(arguments: [
      ("compress", "compress"), ("compress", nil), ("klingon", nil), ("gzip, klingon", "gzip"),
    ])
    func `a body in an unknown coding arrives unchanged, and the head names the coding`(
      _ coding: String, _ accepted: String?
    ) async throws {
      let (record, _) = try await send(
        .response(headers: ["Content-Encoding": coding], body: "raw"), accepting: accepted)

      #expect(record.failure == nil)
      #expect(String(decoding: record.body, as: UTF8.self) == "raw")
      #expect(record.heads.last?.headers[.contentEncoding] == coding)
      #expect(record.heads.last?.headers[.contentLength] == "3")
    }

    @Test func `the response to HEAD keeps the headers of the body`() async throws {
      let (record, _) = try await send(
        .response(headers: ["Content-Encoding": "gzip"], body: Fault.gzip), .head)

      #expect(record.failure == nil)
      #expect(record.heads.last?.headers[.contentEncoding] == "gzip")
      #expect(record.heads.last?.headers[.contentLength] == "\(Fault.gzip.count)")
    }

    @Test func `no other exchange waits for a large body to be decoded`() async throws {
      let size = 3 << 20
      let server = try LoopbackServer {
        LoopbackRoute(
          "/large",
          .response(
            headers: ["Content-Encoding": "gzip"],
            body: Compression.gzip.compress(Data(count: size), 9)))
        LoopbackRoute("/small") { _ in .response(body: "ok") }
      }
      defer { server.stop() }
      let transport = CurlTransport()
      defer { transport.close() }

      let slow = SlowReceiver(blockingAt: 20)
      _ = transport.start(try WireRequest(Request(url: server.url("/large"))), receiver: slow)
      try await slow.gate.waitForArrivals(count: 1)
      let log = ExchangeLog()
      _ = transport.start(try WireRequest(Request(url: server.url("/small"))), receiver: log)
      let record = await log.end()
      slow.gate.open()
      let whole = await slow.log.end()

      #expect(record.failure == nil)
      #expect(whole.failure == nil)
      #expect(whole.body == Data(count: size))
      #expect(whole.lateCount == 0)
    }

    @Test func `a paused body waits, even if all of it has arrived`() async throws {
      let (size, gate) = (3 << 20, Gate())
      let answer = Script.response(
        headers: ["Content-Encoding": "gzip"],
        body: Compression.gzip.compress(Data(count: size), 9))
      let server = try LoopbackServer { LoopbackRoute("*", [.wait(gate), answer]) }
      defer { server.stop() }
      let transport = CurlTransport()
      defer { transport.close() }

      let log = ExchangeLog()
      let exchange = transport.start(try WireRequest(Request(url: server.url())), receiver: log)
      exchange.pause()
      gate.open()
      // The server has sent everything, and the engine continues with other exchanges.
      let other = ExchangeLog()
      try await server.wait { $0.requests == 1 && $0.inFlight == 0 }
      _ = transport.start(try WireRequest(Request(url: server.url())), receiver: other)
      #expect(await other.end().body.count == size)
      #expect(log.record.body.isEmpty)
      for _ in 0..<10 {
        exchange.resume()
        exchange.pause()
      }
      exchange.resume()

      let record = await log.end()
      #expect(record.failure == nil)
      #expect(record.body.count == size)
    }

    @Test func `a bomb without a size limit is an error and ends the connection`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("*") { _ in
          [
            .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"),
            .bytes(Fault.gzip.prefix(10)), .repeatForever(Fault.bomb),
          ]
        }
      }
      defer { server.stop() }
      let client = Client(.curl)

      let error = await #expect(throws: LoadError.self) {
        try await client.load(.data(server.url()))
      }

      #expect(error?.kind == .tooLarge)
      #expect(error?.reason.contains("500 times") == true)
      try await server.waitForDisconnects(count: 1)
    }
  }

  /// Records everything, and blocks at one of the pieces until its gate is open.
  private final class SlowReceiver: ExchangeReceiver {
    let log = ExchangeLog()
    let gate = Gate()
    private let place: Int
    private let count = Mutex(0)

    init(blockingAt place: Int) { self.place = place }

    func received(_ head: ResponseHead) { log.received(head) }

    func received(_ chunk: Data) {
      let isPlace = count.withLock { count in
        count += 1
        return count == place
      }
      if isPlace { gate.blockUntilOpen() }
      log.received(chunk)
    }

    func finished(_ failure: LoadError?) { log.finished(failure) }
  }
#endif
