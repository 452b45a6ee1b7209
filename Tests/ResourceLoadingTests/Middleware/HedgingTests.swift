import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// Second requests for slow responses.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct HedgingTests {
  private let service = StubbedService()
  private var transport: StubTransport { service.transport }

  /// A client that has measured 40 responses, which came at once.
  private func client(extraRequests: Double = 1) async throws -> Client {
    let client = try service.client(
      HedgingMiddleware(minimumDelay: .milliseconds(10), extraRequests: extraRequests))
    transport.stub("/warm/*", .json("warm"))
    for number in 0..<40 { _ = try await client.load(slow(number)) }
    return client
  }

  private func slow(_ number: Int = 100) -> Resource<String> { .text(.get("/warm/\(number)")) }

  @Test func `the response that comes first is taken, and the other request is cancelled`()
    async throws
  {
    let (client, gate) = (try await client(), Gate())
    transport.stub("/warm/100", .json("first").waiting(for: gate), .json("second"))

    let load = client.promise(for: slow())
    try await transport.waitForRequests(count: 41)
    try await service.clock.waitForSleepers(count: 1, within: .seconds(1))
    service.clock.advance(by: .milliseconds(10))

    #expect(try await load.get() == "second")
    #expect(try await transport.waitForCancellations(count: 1).count == 1)
    #expect(service.events.count(of: "hedged") == 1)
    #expect(transport.requests.count == 42)
  }

  @Test func `a second request that fails waits for the first`() async throws {
    let (client, gate) = (try await client(), Gate())
    transport.stub("/warm/100", .json("first").waiting(for: gate), .status(503))

    let load = client.promise(for: slow())
    try await transport.waitForRequests(count: 41)
    try await service.clock.waitForSleepers(count: 1, within: .seconds(1))
    service.clock.advance(by: .milliseconds(10))
    try await service.events.wait(for: 41, "completed")
    gate.open()

    #expect(try await load.get() == "first")
  }

  @Test func `what fails before it is late is the answer`() async throws {
    let client = try await client()
    transport.stub("/warm/100", .status(503))

    let error = await #expect(throws: LoadError.self) { try await client.load(slow()) }

    #expect(error?.response?.status == 503)
    #expect(transport.requests.count == 41)
  }

  @Test func `nothing is sent twice without budget`() async throws {
    let (client, gate) = (try await client(extraRequests: 0), Gate())
    transport.stub("/warm/100", .json("late").waiting(for: gate))

    let load = client.promise(for: slow())
    try await transport.waitForRequests(count: 41)
    try await service.clock.waitForSleepers(count: 1, within: .seconds(1))
    service.clock.advance(by: .seconds(10))
    gate.open()

    #expect(try await load.get() == "late")
    #expect(transport.requests.count == 41)
  }

  @Test func `a cancelled load cancels both`() async throws {
    let (client, gate) = (try await client(), Gate())
    transport.stub("/warm/100", .json("late").waiting(for: gate))

    let load = client.promise(for: slow())
    try await transport.waitForRequests(count: 41)
    try await service.clock.waitForSleepers(count: 1, within: .seconds(1))
    service.clock.advance(by: .milliseconds(10))
    try await transport.waitForRequests(count: 42)
    load.cancel()

    await #expect(throws: CancellationError.self) { try await load.get() }
    #expect(try await transport.waitForCancellations(count: 2).count == 2)
  }

  /// Counts what a server receives for quick loads, and then for others at once whose responses
  /// take a second.
  private func requestCount(
    _ middleware: HedgingMiddleware, quick: Int, late: Int,
    _ request: @escaping @Sendable (Int) -> Request
  ) async -> Int {
    let network = SimulatedNetwork(seed: 40)
    let count = Mutex(0)
    let isLate = Mutex(false)
    network.serve("api.example.org") { _ in
      count.withLock { $0 += 1 }
      let answer = StubAnswer.json("ok")
      return isLate.withLock(\.self)
        ? answer.delayed(by: .seconds(1), clock: network.clock) : answer
    }
    let client = Client(baseURL: "https://api.example.org") {
      $0.transport = network
      $0.clock = network.clock
      $0.middleware = [middleware]
      // A second request that waits for its turn may be no longer needed.
      $0.maximumRequestsPerHost = nil
    }
    await network.run {
      for number in 0..<quick { try? await client.load(.void(request(number))) }
      isLate.withLock { $0 = true }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<late {
          group.addTask { try? await client.load(.void(request(quick + number))) }
        }
      }
    }
    return count.withLock(\.self)
  }

  /// Sends no second request for a response that takes as long as most do on this network.
  private func middleware(extraRequests: Double = 0.05) -> HedgingMiddleware {
    HedgingMiddleware(minimumDelay: .milliseconds(500), extraRequests: extraRequests)
  }

  @Test(arguments: [
    (Request.Method.get, 60), (.head, 60), (.post, 50), (.put, 50), (.patch, 50), (.delete, 50),
  ])
  func `what may have effects is sent once, however late the response is`(
    _ method: Request.Method, _ expected: Int
  ) async {
    let count = await requestCount(middleware(extraRequests: 1), quick: 40, late: 10) {
      Request(method, "/warm/\($0)")
    }

    #expect(count == expected)
  }

  @Test func `each of few responses of a route is waited for`() async {
    let count = await requestCount(middleware(extraRequests: 1), quick: 15, late: 4) {
      .get("/warm/\($0)")
    }

    #expect(count == 19)
  }

  @Test(arguments: [(0, 200), (100, 100), (1000, 200), (100, 1000)])
  func `when everything is late, the budget limits the second requests to a twentieth`(
    _ quick: Int, _ late: Int
  ) async {
    let count = await requestCount(middleware(), quick: quick, late: late) {
      .get("/warm/\($0)")
    }

    #expect(count * 100 <= (quick + late) * 105)
    #expect(quick == 0 || count > quick + late)
  }

  @Test func `what counts as late stays the same while late requests are cancelled`() async {
    let network = SimulatedNetwork(seed: 41)
    let requests = Mutex<[String: Int]>([:])
    // A quarter of the first requests takes longer than 280 ms; second ones take no time.
    network.serve("api.example.org") { request in
      let path = request.url.path(percentEncoded: false)
      let isFirst = requests.withLock {
        $0[path, default: 0] += 1
        return $0[path] == 1
      }
      let number = Int(path.split(separator: "/").last ?? "") ?? 0
      let time = [7: 250 + number / 10 % 6 * 10, 8: 600, 9: 900][number % 10] ?? 10
      return StubAnswer.json("ok").delayed(
        by: .milliseconds(isFirst ? time : 0), clock: network.clock)
    }
    let delays = Mutex<[Duration]>([])
    let client = Client(baseURL: "https://api.example.org") {
      $0.transport = network
      $0.clock = network.clock
      $0.middleware = [HedgingMiddleware(percentile: 0.75, extraRequests: 1)]
      $0.observer = { event in
        if case .hedged(let delay) = event.kind { delays.withLock { $0.append(delay) } }
      }
    }

    await network.run {
      for number in 0..<1000 { try? await client.load(.void(.get("/orders/\(number)"))) }
    }

    let all = delays.withLock(\.self)
    #expect(all.count >= 150 && all.count <= 350, "\(all.count)")
    #expect(all.allSatisfy { $0 >= .milliseconds(200) }, "\(all.min() ?? .zero)")
  }

  /// Delays the response to request 41 forever, and answers the others at once.
  private func raceIsWon(by client: Client) async throws {
    for number in 0..<40 { _ = try await client.load(slow(number)) }

    let load = client.promise(for: slow())
    try await service.clock.waitForSleepers(count: 1, within: .seconds(1))
    service.clock.advance(by: .milliseconds(10))

    #expect(try await load.get() == "42")
  }

  @Test(arguments: Engine.allCases)
  func `the slower request is cancelled on the wire`(_ engine: Engine) async throws {
    let gate = Gate()
    let count = Mutex(0)
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        let number = count.withLock {
          $0 += 1
          return $0
        }
        return number == 41 ? [.wait(gate), .response(body: "41")] : .response(body: "\(number)")
      }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [HedgingMiddleware(minimumDelay: .milliseconds(10), extraRequests: 1)]
      $0.clock = service.clock
    }

    try await raceIsWon(by: client)

    try await server.waitForDisconnects(count: 1)
    #expect(server.requests.count == 42)
  }

  #if Curl && os(Linux)
    @Test(.needsOpenSSL)
    func `over HTTP/2 the slower request is reset, and its connection is still used`()
      async throws
    {
      // libcurl may have to close the connection, such as when it hasn't read all that is there.
      var isStillUsed = false
      for _ in 0..<4 where !isStillUsed { isStillUsed = try await resetKeepsConnection() }

      #expect(isStillUsed)
    }

    private func resetKeepsConnection() async throws -> Bool {
      let authority = try TLSAuthority.withServer()
      let identity = TLSIdentity(authority, "good", speaksHTTP2: true)
      let resets = AsyncStream<HTTP2Frame>.makeStream()
      let server = try ConnectionListener { socket, _ in
        guard let channel = TLSPeer(identity, over: socket), let peer = HTTP2Peer(over: channel)
        else { return }
        defer { resets.continuation.finish() }
        var count = 0
        while let frame = peer.readFrame() {
          switch frame.kind {
          case HTTP2Frame.Kind.settings where frame.flags == 0:
            peer.send(HTTP2Frame(kind: frame.kind, flags: HTTP2Frame.Flag.acknowledged))
          case HTTP2Frame.Kind.headers:
            count += 1
            guard count != 41 else { continue }
            peer.send(
              .headers([(":status", "200")], on: frame.stream),
              .data("\(count)", ends: true, on: frame.stream))
          case HTTP2Frame.Kind.reset: resets.continuation.yield(frame)
          default: break
          }
        }
      }
      defer { server.stop() }
      let transport = CurlTransport(authority.trusting)
      defer { transport.close() }
      let client = Client(baseURL: URL(string: "https://127.0.0.1:\(server.port)")) {
        $0.transport = transport
        $0.middleware = [HedgingMiddleware(minimumDelay: .milliseconds(10), extraRequests: 1)]
        $0.clock = service.clock
      }

      try await raceIsWon(by: client)

      // libcurl 7.88 writes a reset with the next request, and also resets streams that are over. A
      // new connection counts its requests anew.
      guard try await client.load(slow()) == "43" else { return false }
      return await resets.stream.first { $0.stream == 81 } != nil
    }
  #endif
}
