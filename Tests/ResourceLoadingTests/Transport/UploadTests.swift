import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct UploadTests {
  private func server(_ answers: Int...) throws -> LoopbackServer {
    let rest = Mutex(answers)
    return try LoopbackServer {
      LoopbackRoute("*") { _ in .status(rest.withLock { $0.isEmpty ? 200 : $0.removeFirst() }) }
    }
  }

  private func stream(_ pieces: [String]) -> AsyncStream<Data> {
    AsyncStream { continuation in
      for piece in pieces { continuation.yield(Data(piece.utf8)) }
      continuation.finish()
    }
  }

  @Test(arguments: Form.allCases, Engine.allCases)
  func `a stream arrives with its exact length`(_ form: Form, _ engine: Engine) async throws {
    let server = try server()
    defer { server.stop() }
    let request = Request(
      .put, url: server.url(), body: .stream(as: .text) { stream(["one ", "", "two"]) })

    let result = await form.load(.void(request), with: Client(engine))

    #expect(result.failure == nil)
    let arrived = try #require(server.requests.first)
    #expect(arrived.text == "one two")
    #expect(arrived.values(of: "Content-Length") == ["7"])
    #expect(arrived.header("Transfer-Encoding") == nil)
    #expect(arrived.header("Content-Type") == MediaType.text.rawValue)
  }

  @Test(arguments: Engine.allCases)
  func `each attempt restarts the stream`(_ engine: Engine) async throws {
    let server = try server(503)
    defer { server.stop() }
    let begun = Atomic(0)
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [RetryMiddleware(.init(backoff: .none))]
    }
    let body = Request.Body.stream {
      stream(["attempt \(begun.add(1, ordering: .relaxed).newValue)"])
    }

    try await client.load(.void(Request(.put, "/", body: body)))

    #expect(server.requests.map(\.text) == ["attempt 1", "attempt 2"])
  }

  @Test(arguments: Engine.allCases)
  func `an error of a stream fails the load, and nothing is sent`(_ engine: Engine)
    async throws
  {
    struct Broken: Error {}
    let server = try server()
    defer { server.stop() }
    let body = Request.Body.stream {
      AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data("begin".utf8))
        continuation.finish(throwing: Broken())
      }
    }

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.void(Request(.put, url: server.url(), body: body)))
    }

    #expect(error?.kind == .invalidRequest)
    #expect(error?.underlying is Broken)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `an early response is used and ends the upload`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*", answers: .beforeBody) { _ in
        [.json(#"{"message": "too much"}"#, status: 413), .close]
      }
    }
    defer { server.stop() }
    let body = Request.Body.data(Data(count: 30_000_000))

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.void(Request(.put, url: server.url(), body: body)))
    }

    // If the connection is reset before the response is read, the error is the only result.
    #expect(error?.kind == .status || error?.kind == .connection)
  }
}
