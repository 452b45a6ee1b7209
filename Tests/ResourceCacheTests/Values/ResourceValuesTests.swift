import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ResourceValuesTests {
  typealias Service = CachedService

  private func values(_ service: Service, _ request: Request = .get("/a")) async throws -> [String]
  {
    var values: [String] = []
    for try await text in service.client.values(of: Resource.text(request)) { values.append(text) }
    return values
  }

  @Test func `a stale value is first, the new one second`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("two"))

    #expect(try await values(service) == ["one"])
    service.clock.advance(by: .seconds(100))
    #expect(try await values(service) == ["one", "two"])
    #expect(service.transport.requests.count == 2)
  }

  @Test func `a fresh value is the only one, and nothing is sent`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"))
    _ = try await values(service)

    #expect(try await values(service) == ["one"])
    #expect(service.transport.requests.count == 1)
  }

  @Test(arguments: [
    Service.fresh("", [.eTag: "\"1\""], status: 304), Service.fresh("one", [.eTag: "\"2\""]),
  ])
  func `the second value is omitted after a 304 or the same body`(
    _ answer: StubAnswer
  ) async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one", [.eTag: "\"1\""]), answer)
    _ = try await values(service)

    #expect(try await values(service) == ["one"])
    #expect(service.transport.requests.count == 2)
  }

  @Test(arguments: ["max-age=0, must-revalidate", "no-cache", "stale-while-revalidate=999"])
  func `whatever the response allows, the stored value is first, and the fresh one second`(
    _ control: String
  ) async throws {
    let service = Service()
    service.transport.stub(
      "GET /a", Service.fresh("one", [.cacheControl: control]), Service.fresh("two"))
    _ = try await values(service)

    #expect(try await values(service) == ["one", "two"])
  }

  @Test func `after the stored value, an error of the network ends the loop`() async throws {
    let service = Service()
    service.transport.stub(
      "GET /a", Service.fresh("one"), .error(LoadError(.connection, "no network")))
    _ = try await values(service)
    service.clock.advance(by: .seconds(100))

    var seen: [String] = []
    let error = await #expect(throws: LoadError.self) {
      for try await text in service.client.values(of: Resource.text(.get("/a"))) {
        seen.append(text)
      }
    }

    #expect(seen == ["one"])
    #expect(error?.kind == .connection)
    // A plain load falls back to the stored response.
    #expect(try await service.load("/a").text == "one")
  }

  @Test func `a stored response that can't be parsed is neither a value nor an error`() async throws
  {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("2"))
    _ = try await values(service)
    service.clock.advance(by: .seconds(100))

    var numbers: [Int] = []
    for try await number in service.client.values(of: Resource<Int>(json: .get("/a"))) {
      numbers.append(number)
    }

    #expect(numbers == [2])
  }

  @Test(
    arguments: [
      (.networkOnly, ["two"]), (.cacheFirst, ["one"]), (.cacheOnly, ["one"]),
      (.staleWhileRevalidating, ["one", "two"]),
    ] as [(Request.CachePolicy, [String])])
  func `a policy that determines the source gives one value`(
    policy: Request.CachePolicy, expected: [String]
  ) async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("two"))
    _ = try await values(service)
    service.clock.advance(by: .seconds(100))

    #expect(try await values(service, .get("/a").cachePolicy(policy)) == expected)
  }

  @Test func `without a cache there is only the fresh value`() async throws {
    let transport = StubTransport()
    transport.stub("*", Service.fresh("one"))
    let client = Client(baseURL: URL(string: "https://a.example")!) { $0.transport = transport }

    var count = 0
    for try await _ in client.values(of: Resource.text(.get("/a"))) { count += 1 }

    #expect(count == 1 && transport.requests.count == 1)
  }

  @Test func `the second load begins before the loop asks for it`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("two"))
    _ = try await values(service)
    service.clock.advance(by: .seconds(100))

    var iterator = service.client.values(of: Resource.text(.get("/a"))).makeAsyncIterator()
    #expect(try await iterator.next() == "one")
    try await service.transport.waitForRequests(count: 2)
    #expect(try await iterator.next() == "two")
    #expect(try await iterator.next() == nil)
  }

  @Test func `leaving the loop cancels the second load`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), .never)
    _ = try await values(service)
    service.clock.advance(by: .seconds(100))

    for try await _ in service.client.values(of: Resource.text(.get("/a"))) {
      try await service.transport.waitForRequests(count: 2)
      break
    }

    try await service.transport.waitForCancellations(count: 1)
  }

  @Test(arguments: [true, false])
  func `cancelling the task ends either load`(isSecond: Bool) async throws {
    let service = Service()
    service.transport.stub("GET /a", isSecond ? Service.fresh("one") : .never, .never)
    if isSecond {
      _ = try await values(service)
      service.clock.advance(by: .seconds(100))
    }
    let task = Task { try await values(service) }
    try await service.transport.waitForRequests(count: isSecond ? 2 : 1)

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    try await service.transport.waitForCancellations(count: 1)
  }

  @Test func `an error after the stored value has the resource's decoded error body`()
    async throws
  {
    struct Refusal: Decodable, Sendable { var code: Int }
    let service = Service()
    let refusal = StubAnswer.response(status: 422, body: Data(#"{"code": 7}"#.utf8))
    service.transport.stub("GET /a", Service.fresh("one"), refusal)
    let resource = Resource.text(.get("/a")).errorBody(.json(Refusal.self))
    _ = try await values(service)
    service.clock.advance(by: .seconds(100))

    let error = await #expect(throws: LoadError.self) {
      for try await _ in service.client.values(of: resource) {}
    }
    let failures = await service.client.prefetch([resource])

    #expect(error?.errorBody(as: Refusal.self)?.code == 7)
    let prefetchError = failures.first?.error as? LoadError
    #expect(prefetchError?.errorBody(as: Refusal.self)?.code == 7)
  }

  @Test func `the load of the fresh value reports its progress`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("three"))
    _ = try await values(service)
    service.clock.advance(by: .seconds(100))
    let completed = Shared<[Int]>([])

    let resource = Resource.text(.get("/a")).onProgress { step in
      completed.value.append(step.completed)
    }
    for try await _ in service.client.values(of: resource) {}

    #expect(completed.value.last == 5)
  }

  @Test func `prefetching fills the cache, parses nothing and reports failures`() async throws {
    let service = Service()
    service.transport.stub("GET /bad", .status(404))
    service.transport.stub("*", Service.fresh("not JSON"))
    let resources = ["/a", "/bad", "/b"].map { Resource<Int>(json: .get(RequestPath($0))) }

    let failures = await service.client.prefetch(resources, maximumConcurrency: 2)

    #expect(failures.map(\.index) == [1])
    #expect((failures.first?.error as? LoadError)?.response?.status == 404)
    #expect(try await service.load("/b").source.hasPrefix("from the cache"))
    #expect(service.transport.requests.count == 3)
    #expect(service.transport.peakInFlight <= 2)
  }
}
