import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct StormTests {
  @Test(arguments: Engine.allCases)
  func `whatever happens, each load completes once with an error of the right kind`(
    _ engine: Engine
  ) async {
    await #expect(processExitsWith: .success) { [engine] in
      Watchdog.endsProcess(after: 600)
      let text = ProcessInfo.processInfo.environment["RESOURCE_LOADING_STORMS"]
      for seed in 0..<(text.flatMap { UInt64($0) } ?? 3) {
        try await Storm(engine: engine, seed: seed).run(loads: 1000)
      }
    }
  }
}

private struct Storm {
  var engine: Engine
  var seed: UInt64

  func run(loads: Int) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let authentication = BearerAuthentication(token: "old") { _, _ in
      try await Task.sleep(for: .milliseconds(3))
      return "new"
    }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [
        RetryMiddleware(RetryPolicy(maximumAttempts: 2, backoff: .none)), authentication,
      ]
    }
    defer { client.close() }
    let directory = TemporaryDirectory()
    var random = SeededGenerator(seed: seed)
    let plans = (0..<loads).map { Plan(number: $0, in: directory.url, using: &random) }

    let wrong = await withTaskGroup(of: String?.self) { group in
      for plan in plans { group.addTask { await plan.carryOut(with: client) } }
      return await group.reduce(into: []) { if let wrong = $1 { $0.append(wrong) } }
    }

    guard wrong.isEmpty else { throw Broken("seed \(seed): \(wrong.prefix(5))") }
    guard try await client.load(.text(.get("/plain"))) == "ok" else { throw Broken("stuck") }
    let debris = try directory.names.filter { $0.contains(".part") }
    guard debris.isEmpty else { throw Broken("seed \(seed) leaves \(debris.prefix(5))") }
  }

  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /plain") { _ in .response(body: "ok") }
      LoopbackRoute("GET /redirect") { _ in .redirect(to: "/plain") }
      LoopbackRoute("GET /circle") { _ in .redirect(to: "/circle") }
      LoopbackRoute("GET /refused") { request in
        request.header("Authorization") == "Bearer new" ? .response(body: "ok") : .status(401)
      }
      LoopbackRoute("GET /basic") { _ in
        .response(status: 401, headers: ["WWW-Authenticate": #"Basic realm="x""#], body: "no")
      }
      LoopbackRoute("GET /slow") { _ in [.delay(.milliseconds(20)), .response(body: "ok")] }
      LoopbackRoute("GET /cut") { _ in
        [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close]
      }
      LoopbackRoute("GET /down") { _ in .status(503) }
      LoopbackRoute("GET /large") { _ in .response(body: Data(count: 300_000)) }
    }
  }
}

/// The URL and the form of a load, and the time of its cancellation.
private struct Plan: Sendable {
  var request: Request
  var form: Form
  var file: URL?
  var cancelsAfter: Duration?

  init(number: Int, in directory: URL, using random: inout SeededGenerator) {
    let targets: [RequestPath] = [
      "/plain", "/redirect", "/circle", "/refused", "/basic", "/slow", "/cut", "/down", "/large",
    ]
    request = Request(.get, targets.randomElement(using: &random) ?? "/plain")
    form = Form.allCases.randomElement(using: &random) ?? .await
    if Int.random(in: 0..<3, using: &random) == 0 {
      file = directory.appending(path: "\(number)")
    }
    if Bool.random(using: &random) {
      cancelsAfter = .microseconds(Int.random(in: 0...400_000, using: &random))
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      request.options.timeout = .milliseconds(Int.random(in: 1...400, using: &random))
    }
  }

  func carryOut(with client: Client) async -> String? {
    if let file { return await carryOut(.download(request, to: file), client) }
    return await carryOut(.data(request), client)
  }

  private func carryOut<R>(_ resource: Resource<R>, _ client: Client) async -> String? {
    let load = CancellableLoad(form, resource, with: client)
    if let cancelsAfter {
      try? await Task.sleep(for: cancelsAfter)
      load.cancel()
    }
    let failure = await load.result.failure
    guard load.completions == 1 else { return "\(load.completions) completions" }
    guard let failure else { return nil }
    if failure is CancellationError { return cancelsAfter == nil ? "cancelled by nobody" : nil }
    guard let error = failure as? LoadError else { return "\(failure)" }
    let usual: [LoadError.Kind] =
      switch request.url.path() {
      case "/plain", "/redirect", "/refused", "/slow", "/large": []
      case "/circle": [.redirect]
      case "/basic": [.authentication]
      case "/cut": [.connection]
      default: [.status]
      }
    let allowed = usual + (request.options.timeout == nil ? [] : [.timedOut])
    return allowed.contains(error.kind) ? nil : "\(request.url.path()): \(error)"
  }
}
