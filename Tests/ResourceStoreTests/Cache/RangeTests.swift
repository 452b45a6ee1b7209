import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// RFC 9111 sections 3.3 and 3.4, and RFC 9110 section 14: parts of representations.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RangeTests {
  typealias Service = CachedService

  private static let digits = "0123456789"

  /// A part of ten digits.
  private static func part(
    _ range: ClosedRange<Int>, _ headers: Headers = [.eTag: "\"1\""], total: String = "10"
  ) -> StubAnswer {
    var headers = headers
    headers[.cacheControl] = "max-age=60"
    headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound)/\(total)"
    let body = String(digits.dropFirst(range.lowerBound).prefix(range.count))
    return Service.fresh(body, headers, status: 206)
  }

  private static func whole(_ headers: Headers = [.eTag: "\"1\""]) -> StubAnswer {
    var headers = headers
    if headers[.cacheControl] == nil { headers[.cacheControl] = "max-age=60" }
    return Service.fresh(digits, headers)
  }

  private func response(_ service: Service, _ headers: Headers = [:]) async throws -> Response {
    try await service.client.load(
      Resource(Request(.get, "/a", headers: headers)) { $0 })
  }

  private func body(_ service: Service, _ range: String? = nil) async throws -> String {
    let response = try await response(service, range.map { [.range: $0] } ?? [:])
    return String(decoding: response.body, as: UTF8.self)
  }

  static let ranges: [(asked: String, bytes: String, field: String)] = [
    ("bytes=0-1", "01", "bytes 0-1/10"), ("bytes=1-", "123456789", "bytes 1-9/10"),
    ("bytes=-1", "9", "bytes 9-9/10"), ("bytes=-20", digits, "bytes 0-9/10"),
    ("bytes=8-20", "89", "bytes 8-9/10"), ("Bytes = 0 - 0", "0", "bytes 0-0/10"),
    ("bytes=3-9223372036854775807", "3456789", "bytes 3-9/10"),
  ]

  @Test(arguments: Storage.allCases, ranges.indices)
  func `a stored response answers a request for a range with 206`(
    _ storage: Storage, row: Int
  ) async throws {
    let service = Service(try storage.make())
    service.transport.stub("GET /a", Self.whole([.eTag: "\"1\"", "X-A": "1"]))
    _ = try await service.load("/a")

    let part = try await response(service, [.range: Self.ranges[row].asked])

    #expect(part.status == .partialContent)
    #expect(String(decoding: part.body, as: UTF8.self) == Self.ranges[row].bytes)
    #expect(part.headers[.contentRange] == Self.ranges[row].field)
    #expect(part.headers[.contentLength] == "\(part.body.count)")
    #expect(part.headers["X-A"] == "1" && part.headers[.eTag] == "\"1\"")
    #expect(service.transport.requests.count == 1)
  }

  @Test(arguments: [
    "bytes=10-", "bytes=-0", "bytes=0-1,4-5", "bytes=5-2", "lines=0-1", "bytes=a-b", "bytes=-",
    "bytes=99999999999999999999-",
  ])
  func `other ranges are left to the server`(_ range: String) async throws {
    let service = Service()
    service.transport.stub("GET /a", Self.whole(), Service.fresh("server", [:]))
    _ = try await service.load("/a")

    #expect(try await body(service, range) == "server")
    #expect(service.transport.requests.last?.headers[.range] == range)
  }

  @Test(arguments: [
    ("\"1\"", "23"), ("\"2\"", digits), ("W/\"1\"", digits),
    ("Thu, 01 Jan 2026 00:00:00 GMT", "23"),
    ("Thu, 01 Jan 2026 00:00:01 GMT", digits),
  ])
  func `If-Range decides between a part and the whole`(condition: String, bytes: String)
    async throws
  {
    let service = Service()
    service.transport.stub(
      "GET /a",
      Self.whole([
        .eTag: "\"1\"", .lastModified: "Thu, 01 Jan 2026 00:00:00 GMT",
        .date: "Thu, 01 Jan 2026 01:00:00 GMT", .cacheControl: "max-age=1000000000",
      ]))
    _ = try await service.load("/a")

    let answer = try await response(service, [.range: "bytes=2-3", .ifRange: condition])

    #expect(String(decoding: answer.body, as: UTF8.self) == bytes)
    #expect(service.transport.requests.count == 1)
  }

  @Test(arguments: Storage.allCases)
  func `a stored part answers for smaller ranges, and not for the whole`(_ storage: Storage)
    async throws
  {
    let service = Service(try storage.make())
    service.transport.stub("GET /a", Self.part(4...9, [:]), Self.whole())

    for (range, bytes) in [
      ("bytes=-6", "456789"), ("bytes=6-8", "678"), ("bytes=6-", "6789"), ("bytes=-1", "9"),
    ] {
      #expect(try await body(service, range) == bytes)
    }
    #expect(service.transport.requests.count == 1)
    #expect(try await body(service) == Self.digits)
    #expect(service.transport.requests.last?.headers[.range] == nil)
    #expect(try await body(service, "bytes=0-1") == "01")
    #expect(service.transport.requests.count == 2)
  }

  @Test func `the end of a representation that is shorter than stated is used, but not combined`()
    async throws
  {
    let service = Service()
    let headers: Headers = [
      .contentRange: "bytes 4-9/10", .contentLength: "5", .eTag: "\"1\"",
      .cacheControl: "max-age=60",
    ]
    service.transport.stub(
      "GET /a", Service.fresh("01234", headers, status: 206), Self.part(0...3), Self.whole())

    for (range, bytes) in [
      ("bytes=-5", "01234"), ("bytes=6-8", "234"), ("bytes=6-", "234"), ("bytes=-1", "4"),
    ] {
      #expect(try await body(service, range) == bytes)
    }
    #expect(service.transport.requests.count == 1)
    #expect(try await body(service, "bytes=0-3") == "0123")
    #expect(try await body(service, "bytes=4-5") == Self.digits)

    #expect(service.transport.requests.count == 3)
  }

  @Test(arguments: [
    "bytes 9223372036854775800-9223372036854775801/9223372036854775802",
    "bytes 5-9223372036854775807/*", "bytes 9223372036854775807-9223372036854775807/*",
  ])
  func `a part at positions that no representation has is used, but not stored`(_ field: String)
    async throws
  {
    let service = Service()
    let headers: Headers = [
      .contentRange: field, .contentLength: "10", .eTag: "\"1\"", .cacheControl: "max-age=60",
    ]
    service.transport.stub("GET /a", Service.fresh(Self.digits, headers, status: 206))

    for _ in 0..<2 { #expect(try await body(service, "bytes=5-6") == Self.digits) }

    #expect(service.transport.requests.count == 2)
  }

  @Test(arguments: Storage.allCases)
  func `parts with the same strong validator are combined`(_ storage: Storage) async throws {
    let service = Service(try storage.make())
    service.transport.stub(
      "GET /a", Self.part(3...5), Self.part(5...6, [.eTag: "\"1\"", "X-A": "new"]),
      Self.part(0...2, total: "*"), Self.part(7...9))

    #expect(try await body(service, "bytes=3-5") == "345")
    #expect(try await body(service, "bytes=5-6") == "56")
    let middle = try await response(service, [.range: "bytes=3-6"])
    #expect(middle.body == Data("3456".utf8) && middle.headers["X-A"] == "new")
    for range in ["bytes=0-2", "bytes=7-9"] { _ = try await body(service, range) }

    let whole = try await response(service)
    #expect(whole.status == .ok && whole.body == Data(Self.digits.utf8))
    #expect(whole.headers[.contentRange] == nil && whole.headers[.contentLength] == "10")
    #expect(service.transport.requests.count == 4)
  }

  @Test(
    arguments: [
      ([.eTag: "\"1\""], [.eTag: "\"2\""]), ([.eTag: "W/\"1\""], [.eTag: "W/\"1\""]), ([:], [:]),
      ([.eTag: "\"1\""], [:]),
    ] as [(Headers, Headers)])
  func `parts without a strong validator in common aren't combined`(one: Headers, other: Headers)
    async throws
  {
    let service = Service()
    service.transport.stub("GET /a", Self.part(0...4, one), Self.part(5...9, other), Self.whole())

    for range in ["bytes=0-4", "bytes=5-9"] { _ = try await body(service, range) }

    // The latest one is kept.
    #expect(try await body(service, "bytes=6-7") == "67")
    #expect(service.transport.requests.count == 2)
    #expect(try await body(service, "bytes=0-4") == Self.digits)
  }

  @Test(arguments: Storage.allCases)
  func `only the rest of a stored part is requested, and the result is stored`(
    _ storage: Storage
  ) async throws {
    for (first, rest, field) in [(0...4, 5...9, "bytes=5-"), (6...9, 0...5, "bytes=0-5")] {
      let service = Service(try storage.make())
      service.transport.stub(
        "GET /a", Self.part(first), Self.part(rest, [.eTag: "\"1\"", "X": "b"]))
      _ = try await body(service, "bytes=\(first.lowerBound)-\(first.upperBound)")

      let whole = try await response(service)

      #expect(whole.status == .ok && whole.body == Data(Self.digits.utf8))
      #expect(whole.headers[.contentRange] == nil && whole.headers["X"] == "b")
      let asked = try #require(service.transport.requests.last)
      #expect(asked.headers[.range] == field && asked.headers[.ifRange] == "\"1\"")
      #expect(try await body(service) == Self.digits)
      #expect(service.transport.requests.count == 2)
    }
  }

  @Test func `a representation that has changed is loaded as a whole`() async throws {
    let changed = Service.fresh("changed", [.eTag: "\"2\"", .cacheControl: "max-age=60"])
    for answers in [
      [changed], [Self.part(5...9, [.eTag: "\"2\""]), changed], [Self.part(6...9), changed],
      [.response(status: 416, headers: [.contentRange: "bytes */3"]), changed],
    ] {
      let service = Service()
      let (all, number) = ([Self.part(0...4)] + answers, Counter())
      service.transport.stub("GET /a") { _ in all[number.next() - 1] }
      _ = try await body(service, "bytes=0-4")

      #expect(try await body(service) == "changed")
      #expect(try await body(service) == "changed")
      #expect(service.transport.requests.count == 1 + answers.count)
      #expect(try await body(service, "bytes=0-1") == "ch")
    }
  }

  @Test func `a part of what is stored refreshes it, and another one replaces it`() async throws {
    let service = Service()
    service.transport.stub(
      "GET /a", Self.whole(), Self.part(2...3, [.eTag: "\"1\"", "X-A": "new"]),
      Self.part(2...3, [.eTag: "\"2\""]), Self.whole([.eTag: "\"2\""]))
    _ = try await service.load("/a")

    service.clock.advance(by: .seconds(61))
    #expect(try await body(service, "bytes=2-3") == "23")
    let refreshed = try await response(service)
    #expect(refreshed.body == Data(Self.digits.utf8) && refreshed.headers["X-A"] == "new")
    #expect(service.transport.requests.count == 2)
    #expect(service.transport.requests.last?.headers[.ifNoneMatch] == "\"1\"")

    service.clock.advance(by: .seconds(61))
    _ = try await body(service, "bytes=2-3")
    #expect(try await response(service).headers[.eTag] == "\"2\"")
    #expect(service.transport.requests.last?.headers[.ifRange] == nil)
    #expect(service.transport.requests.count == 4)
  }

  @Test func `a stale part is confirmed by a 304, or used without a network`() async throws {
    let service = Service()
    service.transport.stub(
      "GET /a", Self.part(2...5),
      Service.fresh("", [.eTag: "\"1\"", .cacheControl: "max-age=60"], status: 304),
      .error(LoadError(.connection, "no network")))
    _ = try await body(service, "bytes=2-5")

    for _ in 0..<2 {
      service.clock.advance(by: .seconds(61))
      #expect(try await body(service, "bytes=3-4") == "34")
    }

    #expect(service.transport.requests.count == 3)
    await #expect(throws: LoadError.self) { try await body(service) }
  }

  @Test(
    arguments: [
      (206, [.contentRange: "bytes 0-5/10", .contentLength: "5"]),
      (206, [.contentRange: "bytes 0-5/6"]), (206, [.contentRange: "bytes 0-4/4"]), (206, [:]),
      (206, [.contentRange: "bytes 0-4/10", .cacheControl: "no-store"]),
      (206, [.contentRange: "bytes 0-4/10", .contentEncoding: "br"]),
    ] as [(Status, Headers)])
  func `a part whose bytes aren't known for certain isn't stored`(
    _ status: Status, _ headers: Headers
  ) async throws {
    let service = Service()
    var all = headers
    if all[.cacheControl] == nil { all[.cacheControl] = "max-age=60" }
    service.transport.stub("GET /a", Service.fresh("01234", all, status: status))

    for _ in 0..<2 { #expect(try await body(service, "bytes=0-4") == "01234") }

    #expect(service.transport.requests.count == 2)
  }

  @Test func `parts that together are too large for the cache don't remove each other`()
    async throws
  {
    let transport = StubTransport()
    transport.stub("*", Self.part(0...4), Self.part(5...9), Self.part(0...4))
    let client = Client(baseURL: URL(string: "https://a.example")!) {
      $0.transport = transport
      $0.middleware = [HTTPCache(.memory(), maximumBodySize: 7)]
    }

    for range in ["bytes=0-4", "bytes=5-9", "bytes=6-8"] {
      _ = try await client.load(.text(.get("/a").header(.range, range)))
    }

    #expect(transport.requests.count == 2)
  }

  @Test func `a completed response that exceeds the load's limit is an error`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Self.part(0...4), Self.part(5...9))
    _ = try await body(service, "bytes=0-4")

    let error = await #expect(throws: LoadError.self) {
      try await service.load(.get("/a").maximumBodySize(7))
    }

    #expect(error?.kind == .tooLarge)
  }

  @Test(arguments: Storage.allCases)
  func `a part isn't completed after its removal, nor with another credential's bytes`(
    _ storage: Storage
  ) async throws {
    let service = Service(try storage.make())
    service.transport.stub("GET /a", Self.part(0...4), Self.whole())
    _ = try await body(service, "bytes=0-4")

    _ = try await service.load("/a", [.authorization: "x"])
    #expect(service.transport.requests.last?.headers[.range] == nil)
    try await service.cache.removeAll()
    _ = try await service.load("/a")

    #expect(service.transport.requests.last?.headers[.range] == nil)
    #expect(service.transport.requests.count == 3)
  }

  @Test func `the rest that arrives after a removal completes the load, and isn't stored`()
    async throws
  {
    let (service, gate) = (Service(), Gate())
    service.transport.stub(
      "GET /a", Self.part(0...4), Self.part(5...9).waiting(for: gate), Self.whole())
    _ = try await body(service, "bytes=0-4")
    async let whole = body(service)
    try await service.transport.waitForRequests(count: 2)

    try await service.cache.removeAll()
    gate.open()

    #expect(try await whole == Self.digits)
    _ = try await body(service)
    #expect(service.transport.requests.count == 3)
  }

  @Test func `a HEAD drops a part whose representation has changed`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Self.part(0...4), Self.whole([.eTag: "\"2\""]))
    service.transport.stub(
      "HEAD /a", .response(headers: [.eTag: "\"1\"", .contentLength: "10"]),
      .response(headers: [.eTag: "\"2\"", .contentLength: "10"]))
    _ = try await body(service, "bytes=0-4")

    try await service.client.load(.void(Request(.head, "/a")))
    #expect(try await body(service, "bytes=0-1") == "01")
    #expect(service.transport.requests.count == 2)
    try await service.client.load(.void(Request(.head, "/a")))
    _ = try await body(service, "bytes=0-1")

    #expect(service.transport.requests.count == 4)
  }
}
