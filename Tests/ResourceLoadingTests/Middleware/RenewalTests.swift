import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RenewalTests {
  /// A service that accepts one token and can renew it.
  private final class Service: Sendable {
    private struct State {
      var renewals = 0
      var sent = 0
    }
    private let state = Mutex(State())
    let gate = Gate()
    let answering: Answering
    /// Opens when a number of requests with a bad token have arrived.
    let crowd: Gate

    init(waitingFor count: Int = 1) {
      let crowd = Gate()
      let arrived = Atomic(0)
      self.crowd = crowd
      answering = Answering { request, _ in
        if request.headers[.authorization] == "Bearer new" {
          return Response(url: request.url, body: Data("ok".utf8))
        }
        if arrived.add(1, ordering: .relaxed).newValue == count { crowd.open() }
        // All requests are sent before the first is refused.
        try await crowd.opened()
        return Response(url: request.url, status: 401, headers: [.wwwAuthenticate: "Bearer"])
      }
    }

    var renewals: Int { state.withLock { $0.renewals } }

    func renew() async throws -> BearerToken {
      state.withLock { $0.renewals += 1 }
      try await gate.opened()
      return "new"
    }

    func client(_ authentication: BearerAuthentication) -> Client {
      Client(baseURL: nowhere) { $0.middleware = [authentication, answering] }
    }
  }

  @Test func `a load that has ended renews nothing, although a stage in front goes on`()
    async throws
  {
    let (stage, renewed) = (StubbornMiddleware(), Gate())
    let authentication = BearerAuthentication { _, _ in
      renewed.open()
      return "new"
    }
    let client = Client(baseURL: nowhere) {
      $0.middleware = [stage, authentication, Answering(statuses: .ok)]
    }

    let load = Task { try await client.load(.text(.get("/"))) }
    try await stage.begun.opened()
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    stage.gate.open()
    try await stage.ended.opened()

    #expect(!renewed.isOpen)
    #expect(authentication.token == nil)
  }

  @Test func `a thousand loads with a 401 at the same time renew the token once`() async throws {
    let service = Service(waitingFor: 1000)
    let authentication = BearerAuthentication(token: "old") { _, _ in try await service.renew() }
    let client = service.client(authentication)

    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 1...1000 { group.addTask { try await client.load(.text(.get("/"))) } }
      try await service.gate.waitForArrivals(count: 1)
      service.gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(texts == Array(repeating: "ok", count: 1000))
    #expect(service.renewals == 1)
    #expect(service.answering.requests.count == 2000)
    #expect(authentication.token == "new")
  }

  @Test func `a request refused with an older token is sent again immediately`() async throws {
    let service = Service(waitingFor: 2)
    service.gate.open()
    let authentication = BearerAuthentication(token: "old") { _, _ in try await service.renew() }
    let client = service.client(authentication)

    async let slow = client.load(.text(.get("/")))
    authentication.signIn("new")
    service.crowd.open()

    #expect(try await slow == "ok")
    #expect(service.renewals == 0)
  }

  @Test(arguments: Form.allCases)
  func `a load that waits for a renewal can be cancelled separately`(_ form: Form) async throws {
    let service = Service()
    let authentication = BearerAuthentication(token: "old") { _, _ in try await service.renew() }
    let client = service.client(authentication)

    let leaving = CancellableLoad(form, .text(.get("/")), with: client)
    try await service.gate.waitForArrivals(count: 1)
    leaving.cancel()
    #expect(await leaving.result.failure is CancellationError)
    async let staying = client.load(.text(.get("/")))
    service.gate.open()

    #expect(try await staying == "ok")
    #expect(service.renewals == 1)
  }

  @Test func `a renewal continues when all waiting loads are cancelled`() async throws {
    let service = Service()
    let authentication = BearerAuthentication(token: "old") { _, _ in try await service.renew() }
    let client = service.client(authentication)

    let leaving = CancellableLoad(.await, .text(.get("/")), with: client)
    try await service.gate.waitForArrivals(count: 1)
    leaving.cancel()
    _ = await leaving.result
    service.gate.open()
    let text = try await client.load(.text(.get("/")))

    #expect(text == "ok")
    #expect(service.renewals == 1)
  }

  @Test func `a failed renewal fails all waiting loads, and later loads aren't sent`() async throws
  {
    let service = Service(waitingFor: 100)
    let calls = Mutex(0)
    let authentication = BearerAuthentication(token: "old") { _, _ in
      calls.withLock { $0 += 1 }
      try await service.gate.opened()
      throw LoadError(.status, "the refresh token was revoked")
    }
    let client = service.client(authentication)

    let errors = await withTaskGroup(of: LoadError?.self) { group in
      for _ in 1...100 {
        group.addTask {
          await Form.await.load(.text(.get("/")), with: client).failure as? LoadError
        }
      }
      try? await service.gate.waitForArrivals(count: 1)
      service.gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    let late = await Form.await.load(.text(.get("/")), with: client).failure as? LoadError

    #expect(errors.allSatisfy { $0?.kind == .authentication })
    #expect(errors.allSatisfy { $0?.reason.contains("was revoked") == true })
    #expect(late?.kind == .authentication)
    #expect(late?.advice?.contains("signIn") == true)
    #expect(calls.withLock(\.self) == 1)
    #expect(service.answering.requests.count == 100)

    authentication.signIn("new")
    #expect(try await client.load(.text(.get("/"))) == "ok")
  }

  /// The error of a renewal that a server answered with a status.
  private static func failure(_ status: Status) -> LoadError {
    var error = LoadError(.status, "the server answered \(status)")
    error.response = LoadError.ReceivedResponse(
      url: "https://example.org/renew", status: status, headers: [:], body: Data(), bodySize: 0)
    return error
  }

  @Test(
    arguments: [
      LoadError(.connection, "no network"), LoadError(.timedOut, "no network"),
      LoadError(.secureConnection, "the certificate of a hotel"), Self.failure(408),
      Self.failure(503), LoadError(.file, "no file", underlying: POSIXError(.EMFILE)),
      URLError(.notConnectedToInternet), URLError(.timedOut), CancellationError(),
    ] as [any Error])
  func `an interrupted renewal is tried again`(_ interruption: any Error) async throws {
    let service = Service()
    let calls = Mutex(0)
    let authentication = BearerAuthentication(token: "old") { _, _ in
      let isFirst = calls.withLock { calls in
        calls += 1
        return calls == 1
      }
      if isFirst { throw interruption }
      return "new"
    }
    let client = service.client(authentication)

    let first = await Form.await.load(.text(.get("/")), with: client).failure as? LoadError
    let second = try await client.load(.text(.get("/")))

    #expect(first?.kind == .authentication)
    #expect(first?.advice?.hasPrefix("Load again") == true)
    #expect(second == "ok")
  }

  @Test func `a token that expires is renewed before it is sent`() async throws {
    let service = Service()
    service.gate.open()
    let old = BearerToken("old", expiration: Date(timeIntervalSinceNow: 5))
    let expired = Mutex<BearerToken?>(nil)
    let authentication = BearerAuthentication(token: old) { token, _ in
      expired.withLock { $0 = token }
      return try await service.renew()
    }

    let text = try await service.client(authentication).load(.text(.get("/")))

    #expect(text == "ok")
    #expect(expired.withLock(\.self) == old)
    #expect(service.answering.requests.count == 1)
  }

  @Test func `without a token the first request gets one`() async throws {
    let service = Service()
    service.gate.open()
    let authentication = BearerAuthentication { _, _ in try await service.renew() }

    #expect(try await service.client(authentication).load(.text(.get("/"))) == "ok")
    #expect(service.answering.requests.count == 1)
  }

  @Test func `a second 401 is final`() async throws {
    let answering = Answering(statuses: 401)
    let authentication = BearerAuthentication(token: "a") { _, _ in "b" }
    let client = Client(baseURL: nowhere) { $0.middleware = [authentication, answering] }

    let error = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }

    #expect(error?.kind == .authentication)
    #expect(answering.requests.map { $0.headers[.authorization] } == ["Bearer a", "Bearer b"])
  }

  @Test(arguments: ["insufficient_scope", "invalid_request"])
  func `a 401 is final if a new token can't help`(_ code: String) async throws {
    let answering = Answering(
      statuses: 401, headers: [.wwwAuthenticate: "Bearer error=\"\(code)\""])
    let authentication = BearerAuthentication(token: "a") { _, _ in "b" }
    let client = Client(baseURL: nowhere) { $0.middleware = [authentication, answering] }

    await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }

    #expect(answering.requests.count == 1)
  }

  @Test func `signing out fails waiting loads and drops the renewed token`() async throws {
    let service = Service()
    let authentication = BearerAuthentication(token: "old") { _, _ in try await service.renew() }
    let client = service.client(authentication)

    async let waiting = Form.await.load(.text(.get("/")), with: client)
    try await service.gate.waitForArrivals(count: 1)
    authentication.signOut()
    let error = await waiting.failure as? LoadError
    service.gate.open()
    let late = await Form.await.load(.text(.get("/")), with: client).failure as? LoadError

    #expect(error?.kind == .authentication)
    #expect(error?.reason.contains("signed out") == true)
    #expect(late?.response?.status == 401)
    #expect(authentication.token == nil)
    #expect(service.answering.requests.last?.headers[.authorization] == nil)
    #expect(service.renewals == 1)
  }

  @Test func `a request isn't sent again with another user's token`()
    async throws
  {
    let gate = Gate()
    let answering = Answering { request, _ in
      if request.headers[.authorization] == "Bearer first" { try await gate.opened() }
      return Response(url: request.url, method: request.method, status: 401)
    }
    let authentication = BearerAuthentication(token: "first")
    let client = Client(baseURL: nowhere) { $0.middleware = [authentication, answering] }

    async let early = Form.await.load(.void(.delete("/account")), with: client)
    try await gate.waitForArrivals(count: 1)
    authentication.signOut()
    authentication.signIn("second")
    gate.open()

    #expect((await early.failure as? LoadError)?.response?.status == 401)
    #expect(answering.requests.map { $0.headers[.authorization] } == ["Bearer first"])
  }

  @Test func `a renewal through the same client doesn't wait for itself`() async throws {
    let answering = Answering { request, _ in
      guard !request.url.path().hasSuffix("/renew") else {
        return Response(url: request.url, body: Data("new".utf8))
      }
      let isGood = request.headers[.authorization] == "Bearer new"
      return Response(url: request.url, status: isGood ? 200 : 401)
    }

    try await withSelfRenewingClient(answering) { client, _ in
      try await client.load(.void(.get("/")))
    }

    #expect(
      answering.requests.map { $0.headers[.authorization] } == ["Bearer old", nil, "Bearer new"])
  }

  @Test(arguments: Engine.allCases)
  func `the loader of a renewal has the client's defaults but not its middleware`(
    _ engine: Engine
  )
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("POST /api/renew") { _ in .response(body: "new") }
      LoopbackRoute("GET /api/") { request in
        request.header("Authorization") == "Bearer new" ? .response(body: "ok") : .status(401)
      }
    }
    defer { server.stop() }
    let authentication = BearerAuthentication(token: "old") { _, loader in
      BearerToken(try await loader.load(.text(.post("/renew"))))
    }
    let client = Client(engine, baseURL: server.url("/api")) { $0.middleware = [authentication] }

    #expect(try await client.load(.text(.get("/"))) == "ok")
    #expect(
      server.requests.map { $0.header("Authorization") } == ["Bearer old", nil, "Bearer new"])
  }

  @Test func `a renewal that was cancelled with the client's loads is tried again`()
    async throws
  {
    let gate = Gate()
    let answering = Answering { request, _ in
      if request.url.path().hasSuffix("/renew") {
        try await gate.opened()
        return Response(url: request.url, body: Data("new".utf8))
      }
      let isGood = request.headers[.authorization] == "Bearer new"
      return Response(url: request.url, status: isGood ? 200 : 401)
    }

    try await withSelfRenewingClient(answering) { client, authentication in
      async let waiting = Form.await.load(.void(.get("/")), with: client)
      try await gate.waitForArrivals(count: 1)
      client.cancelAll()
      _ = await waiting
      gate.open()

      try await client.load(.void(.get("/")))
      #expect(authentication.token == "new")
    }
  }

  /// Runs a test with a client that renews its token by one of its loads.
  private func withSelfRenewingClient(
    _ answering: Answering, _ body: (Client, BearerAuthentication) async throws -> Void
  ) async throws {
    let itself = Mutex<Client?>(nil)
    let authentication = BearerAuthentication(token: "old") { _, _ in
      guard let client = itself.withLock({ $0 }) else { throw CancellationError() }
      return BearerToken(try await client.load(.text(.post("/renew"))))
    }
    let client = Client(baseURL: nowhere) { $0.middleware = [authentication, answering] }
    itself.withLock { $0 = client }
    defer { itself.withLock { $0 = nil } }

    try await body(client, authentication)
  }

  @Test func `a dry run renews nothing`() async throws {
    let authentication = BearerAuthentication { _, _ in throw CancellationError() }
    let client = Client(baseURL: nowhere) { $0.middleware = [authentication] }

    let run = try await client.dryRun(Resource.void(.get("/")))

    #expect(run.request?.headers[.authorization] == nil)
  }

  @Test func `another origin that a redirect leads to can't have the token renewed`() async {
    let transport = StubTransport()
    transport.stub(
      "GET /files/1", .response(status: 302, headers: [.location: "https://cdn.example/1"]))
    transport.stub("GET /1", .status(401))
    let renewals = Atomic(0)
    let client = Client(baseURL: "https://api.example.org") {
      $0.transport = transport
      $0.middleware = [
        BearerAuthentication(token: "old") { _, _ in
          renewals.add(1, ordering: .relaxed)
          return "new"
        }
      ]
    }

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(.get("/files/1")))
    }

    #expect(error?.response?.status == 401)
    #expect(renewals.load(ordering: .relaxed) == 0)
    #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer old", nil])
  }
}
