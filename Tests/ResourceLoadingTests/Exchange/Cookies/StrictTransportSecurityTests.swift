import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// HTTP Strict Transport Security by RFC 6797.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct StrictTransportSecurityTests {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test(arguments: [
    ("http://e.org/a?b", "https://e.org/a?b"), ("http://e.org:80/", "https://e.org/"),
    ("http://E.ORG.:8080/", "https://E.ORG.:8080/"), ("http://www.e.org/", "https://www.e.org/"),
    ("http://only.net/", "https://only.net/"), ("http://www.only.net/", "http://www.only.net/"),
    ("http://ae.org/", "http://ae.org/"), ("https://e.org/", "https://e.org/"),
    ("http://past.org/", "http://past.org/"), ("http://127.0.0.1/", "http://127.0.0.1/"),
  ])
  func `a known host is contacted by https`(_ plain: String, _ expected: String) throws {
    let strict = StrictTransportSecurity(preloaded: [
      .init(host: "E.org", includesSubdomains: true), .init(host: "only.net"),
      .init(host: "past.org", expiration: Self.now), .init(host: "127.0.0.1"),
    ])

    #expect(strict.upgraded(try url(plain), at: Self.now).absoluteString == expected)
  }

  @Test(
    arguments: [
      ("max-age=60", 60, false), ("max-age=\"60\" ; includeSubDomains", 60, true),
      ("includesubdomains;;MAX-AGE=60;x=y", 60, true), ("max-age=60; max-age=70", nil, false),
      ("includeSubDomains", nil, false), ("max-age=-1", nil, false), ("max-age=", nil, false),
      ("max-age=99999999999999999999", 10 * 365 * 86_400, false), ("max-age=0", nil, false),
    ] as [(String, Double?, Bool)])
  func `a host is learned from its header`(
    _ field: String, _ age: Double?, _ includes: Bool
  ) throws {
    let strict = StrictTransportSecurity()

    strict.note(["Strict-Transport-Security": field], from: try url("https://e.org/"), at: Self.now)

    #expect(
      strict.learned.map { $0.expiration?.timeIntervalSince(Self.now) } == (age.map { [$0] } ?? []))
    #expect(strict.learned.first?.includesSubdomains ?? false == includes)
  }

  @Test
  func
    `responses by http and from addresses are ignored, an age of 0 forgets a host, and the list has a limit`()
    throws
  {
    let strict = StrictTransportSecurity()
    func note(_ age: Int, _ from: String) throws {
      strict.note(
        ["Strict-Transport-Security": "max-age=\(age)"], from: try url(from), at: Self.now)
    }

    try note(60, "http://e.org/")
    try note(60, "https://[::1]/")
    #expect(strict.learned.isEmpty)
    for index in 0..<(StrictTransportSecurity.maximumCount + 5) {
      try note(60 + index, "https://h\(index).org/")
    }
    #expect(strict.learned.count == StrictTransportSecurity.maximumCount)
    #expect(!strict.learned.contains { $0.host == "h0.org" })
    try note(0, "https://h9.org/")
    #expect(strict.learned.count == StrictTransportSecurity.maximumCount - 1)
  }

  private final class Storage: StrictTransportStorage {
    let kept: Mutex<[StrictTransportSecurity.Entry]>
    let (isReading, answers) = (Gate(), Gate())

    init(_ entries: [StrictTransportSecurity.Entry], answers isOpen: Bool = true) {
      kept = Mutex(entries)
      if isOpen { answers.open() }
    }

    func read() async throws -> [StrictTransportSecurity.Entry] {
      let entries = kept.withLock(\.self)
      isReading.open()
      try await answers.opened()
      return entries
    }

    func write(_ entries: [StrictTransportSecurity.Entry]) async throws {
      kept.withLock { $0 = entries }
    }
  }

  @Test
  func
    `a client uses https from the first request on, also for redirects, and stores what it learns`()
    async throws
  {
    let transport = StubTransport()
    transport.stub(
      "/a",
      .response(
        status: 302,
        headers: [
          .location: "http://b.org/b", "Strict-Transport-Security": "max-age=60",
        ]))
    transport.stub("/b", .response(body: Data("ok".utf8)))
    let storage = Storage([.init(host: "b.org")])
    let strict = StrictTransportSecurity(preloaded: [.init(host: "a.org")], storage: storage)
    let client = Client {
      $0.transport = transport
      $0.strictTransportSecurity = strict
    }

    try await client.load(.void(try url("http://a.org/a")))
    await strict.flush()

    #expect(transport.requests.map(\.url.absoluteString) == ["https://a.org/a", "https://b.org/b"])
    #expect(Set(storage.kept.withLock(\.self).map(\.host)) == ["a.org", "b.org"])
  }

  @Test func `hosts that are learned before the stored ones were read don't displace them`()
    async throws
  {
    let storage = Storage([.init(host: "b.org")])
    let strict = StrictTransportSecurity(storage: storage)

    strict.note(["Strict-Transport-Security": "max-age=60"], from: try url("https://a.org/"))
    await strict.flush()

    #expect(Set(strict.learned.map(\.host)) == ["a.org", "b.org"])
    #expect(Set(storage.kept.withLock(\.self).map(\.host)) == ["a.org", "b.org"])
  }

  @Test func `hosts that are removed while they are read don't come back`() async throws {
    let transport = StubTransport()
    transport.stub("*", .status(204))
    let storage = Storage([.init(host: "b.org")], answers: false)
    let strict = StrictTransportSecurity(storage: storage)
    let client = Client {
      $0.transport = transport
      $0.strictTransportSecurity = strict
    }

    async let load: Void = client.load(.void(try url("http://b.org/b")))
    try await storage.isReading.opened()
    strict.removeAll()
    storage.answers.open()
    try await load
    await strict.flush()

    #expect(transport.requests.map(\.url.absoluteString) == ["http://b.org/b"])
    #expect(strict.learned.isEmpty && storage.kept.withLock(\.isEmpty))
  }
}
