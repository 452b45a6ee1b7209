import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ProgressTests {
  private final class Steps: Sendable {
    private let steps = Mutex<[TransferProgress]>([])

    func add(_ step: TransferProgress) { steps.withLock { $0.append(step) } }

    var all: [TransferProgress] { steps.withLock(\.self) }
  }

  private static let body = Data(repeating: 7, count: 300_000)

  /// A server that redirects an upload, refuses it once, and then sends a large response.
  private func makeServer() throws -> LoopbackServer {
    let refusals = Atomic(0)
    return try LoopbackServer {
      LoopbackRoute("PUT /old") { _ in .redirect(to: "/new", status: 307) }
      LoopbackRoute("PUT /new") { _ in
        refusals.add(1, ordering: .relaxed).newValue == 1
          ? .status(503) : .response(body: String(repeating: "x", count: 1_000))
      }
    }
  }

  @Test(arguments: Form.allCases, Engine.allCases)
  func `upload progress never decreases: by a redirect, a retry or the response`(
    _ form: Form, _ engine: Engine
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [RetryMiddleware(.init(backoff: .none))]
    }
    let (up, down) = (Steps(), Steps())
    let request = Request.put("/old").body(.data(Self.body))
    let resource = Resource.text(request)
      .onProgress(of: .upload) { up.add($0) }.onProgress { down.add($0) }

    let text = try await form.load(resource, with: client).get()

    #expect(text.count == 1_000)
    for steps in [up.all, down.all] {
      #expect(!steps.isEmpty)
      for (one, next) in zip(steps, steps.dropFirst()) {
        #expect(one.completed < next.completed)
        #expect((one.fraction ?? 0) <= (next.fraction ?? 1))
      }
      #expect(steps.last?.fraction == 1)
    }
    #expect(up.all.allSatisfy { $0.direction == .upload && $0.total == Self.body.count })
    #expect(down.all.allSatisfy { $0.direction == .download })
    #expect(down.all.last?.completed == 1_000)
  }

  @Test(arguments: Engine.allCases)
  func `a Progress counts an upload`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let progress = Progress(totalUnitCount: -1)
    let request = Request(.put, url: server.url(), body: .data(Self.body))

    try await Client(engine).load(.void(request).reporting(to: progress, of: .upload))

    #expect(progress.completedUnitCount == 300_000 && progress.totalUnitCount == 300_000)
  }

  @Test func `the fraction doesn't decrease when a later response is longer`() async throws {
    let transport = StubTransport()
    transport.stub(
      "*",
      .response(status: 503, headers: ["Content-Length": "4"], body: Data("abcd".utf8)),
      .response(headers: ["Content-Length": "8"], body: Data("abcdefgh".utf8)))
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.middleware = [RetryMiddleware(.init(backoff: .none))]
    }
    let steps = Steps()
    let request = Request.get("/").acceptedStatuses([.ok, .serviceUnavailable])

    _ = try await client.load(Resource.text(request).onProgress { steps.add($0) })

    let fractions = steps.all.compactMap(\.fraction)
    #expect(fractions == fractions.sorted() && fractions.last == 1)
  }
}
