import Foundation
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn, .timeLimit(.minutes(10)), .serialized)
struct FaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var engine: Engine
    var fault: Fault

    var testDescription: String { "\(engine.rawValue): \(fault.name)" }
  }

  private static let cases = Engine.allCases.flatMap { engine in
    Fault.all.filter { engine != .urlSession || $0.exception == nil }
      .map { Case(engine: engine, fault: $0) }
  }

  @Test(arguments: cases)
  func `an exchange ends once, whatever the server does`(_ row: Case) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in row.fault.script } }
    defer { server.stop() }
    let transport = row.engine.makeTransport()

    let log = ExchangeLog()
    let exchange = transport.start(try WireRequest(Request(url: server.url())), receiver: log)
    let record = await log.end()
    exchange.cancel()
    withExtendedLifetime(transport) {}

    record.check(row.fault.outcome)
    #expect(log.record.ends.count == 1)
    #expect(log.record.lateCount == 0)
  }

  #if os(Linux)
    @Test(arguments: Fault.all.filter { $0.exception == .crash })
    func `a URLSession crashes the process, as documented`(
      _ fault: Fault
    ) async throws {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in fault.script } }
      defer { server.stop() }

      // When this fails, the platform has been fixed, and the exception can be removed.
      await #expect(processExitsWith: .failure) { [url = server.url() as URL] in
        Watchdog.endsProcess()
        let (log, transport) = (ExchangeLog(), URLSessionTransport())
        _ = transport.start(try WireRequest(Request(url: url)), receiver: log)
        _ = await log.end()
        withExtendedLifetime(transport) {}
      }
    }

    @Test func `other faults in a URLSession end once or can be cancelled`() async {
      await #expect(processExitsWith: .success) {
        Watchdog.endsProcess()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for fault in Fault.all where fault.exception == .differs {
            group.addTask { try await Self.watch(fault) }
          }
          try await group.waitForAll()
        }
      }
    }

    /// Some of them only end by cancellation.
    private static func watch(_ fault: Fault) async throws {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in fault.script } }
      defer { server.stop() }
      let (log, transport) = (ExchangeLog(), URLSessionTransport())
      let exchange = transport.start(try WireRequest(Request(url: server.url())), receiver: log)
      let limit = DeadlineTimer(at: LoadClock.system.now() + .seconds(2), on: .system) {
        exchange.cancel()
        log.giveUp()
      }
      let record = await log.end()
      limit.cancel()
      withExtendedLifetime(transport) {}
      guard record.ends.count <= 1, record.lateCount == 0 else {
        throw Broken("\(fault.name): \(record)")
      }
    }
  #endif

  #if Curl && os(Linux)
    @Test(arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    ])
    func `a connection that closes after any byte is a failure`(_ response: String) async throws {
      let bytes = Array(response.utf8)
      let server = try LoopbackServer {
        LoopbackRoute("*") { request in
          [.bytes(bytes.prefix(Int(request.target.dropFirst()) ?? 0)), .close]
        }
      }
      defer { server.stop() }
      let transport = CurlTransport()

      for count in 0...bytes.count {
        let log = ExchangeLog()
        _ = transport.start(try WireRequest(Request(url: server.url("/\(count)"))), receiver: log)
        let record = await log.end()
        // The last line end adds nothing.
        if count < bytes.count - 2 { #expect(record.failure != nil, "after \(count) bytes") }
        if count == bytes.count { #expect(record.failure == nil) }
        #expect(record.failure.map { $0.kind == .connection } ?? true)
      }
      transport.close()
    }
  #endif

  @Test(arguments: Engine.allCases)
  func `a port without a server is a failure`(_ engine: Engine) async throws {
    let port = try UnservedPort(.refusing)

    let log = ExchangeLog()
    let transport = engine.makeTransport()
    _ = transport.start(try WireRequest(Request(url: port.url())), receiver: log)

    #expect(await log.end().failure?.kind == .connection)
    withExtendedLifetime(transport) {}
  }

  @Test(arguments: Engine.allCases)
  func `an early refusal of a large body is the response`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*", answers: .beforeBody) { _ in
        .response(status: 413, headers: ["Connection": "close"], body: "no")
      }
    }
    defer { server.stop() }
    let client = Client(engine)
    var request = Request(.post, url: server.url(), body: .data(Data(count: 1 << 20)))
    request.options.acceptedStatuses = .any

    // A server that closes during an upload may reset the connection before its response is read.
    let result = await Form.await.load(Resource(request) { $0.status }, with: client)

    switch result {
    case .success(let status): #expect(status == 413)
    case .failure(let error): #expect((error as? LoadError)?.kind == .connection)
    }
  }

  @Test(arguments: Engine.allCases.filter { $0 != .urlSession })
  func `a complete response is used even if the rest of the request can't be sent`(
    _ engine: Engine
  ) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*", answers: .beforeBody) { _ in
        [.response(body: "enough"), .delay(.milliseconds(500)), .reset]
      }
    }
    defer { server.stop() }
    let request = Request(.put, url: server.url(), body: .data(Data(count: 32 << 20)))

    #expect(try await Client(engine).load(.text(request)) == "enough")
  }

  @Test(arguments: Engine.allCases)
  func `headers beyond the limit end the load`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\n"), .repeating("X-Header: value\r\n", count: 100),
          .bytes("Content-Length: 0\r\n\r\n"),
        ]
      }
    }
    defer { server.stop() }
    let client = Client(engine) { $0.options.maximumHeaderSize = 300 }
    var larger = Request(url: server.url())
    larger.options.maximumHeaderSize = 10_000

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(Request(url: server.url())))
    }

    #expect(error?.kind == .tooLarge)
    try await client.load(.void(larger))
  }

  @Test(arguments: Engine.allCases)
  func `a decompression bomb is stopped by the size limit`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"),
          .bytes(Fault.gzip.prefix(10)),
          // A URLSession decodes everything available before it can be cancelled.
          engine == .urlSession
            ? .repeating(Fault.bomb, count: 256) : .repeatForever(Fault.bomb),
        ]
      }
    }
    defer { server.stop() }
    var request = Request(url: server.url())
    request.options.maximumBodySize = 100_000

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.data(request))
    }

    #expect(error?.kind == .tooLarge)
    try await server.waitForDisconnects(count: 1)
  }
}

extension ExchangeLog.Record {
  func check(_ outcome: Fault.Outcome) {
    switch outcome {
    case .whole(let status, let body):
      #expect(failure == nil)
      #expect(heads.last?.status == status)
      #expect(String(decoding: self.body, as: UTF8.self) == body)
    case .failure(let kind): #expect(failure?.kind == kind, "\(String(describing: failure))")
    }
  }
}
