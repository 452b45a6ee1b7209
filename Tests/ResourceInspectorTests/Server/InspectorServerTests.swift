import Foundation
import ResourceCache
import ResourceInspector
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(15))) struct InspectorServerTests {
  private let inspector = Inspector(patience: .seconds(600))
  private let client: Client

  init() {
    let network = StubTransport()
    network.stub("*", .json("1"))
    let inspector = inspector
    client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = network
      $0.inspect(with: inspector)
    }
  }

  private func load(_ path: RequestPath) async throws {
    _ = try await client.load(.json(.get(path), as: Int.self))
  }

  private func path(_ url: URL) -> String { url.path(percentEncoded: true) }

  @Test func `the page has the loads and may run nothing but its own script`() async throws {
    let url = try inspector.start()
    try await load("/items/17")

    let response = try PageClient.exchange(path(url), at: url)

    #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(response.contains("/items/17"))
    let policy = response.components(separatedBy: "\r\n").first { $0.contains("Security-Policy") }
    #expect(policy?.contains("default-src 'none'; script-src 'sha256-") == true)
    #expect(policy?.contains("unsafe") == false)
    #expect(response.contains("Cache-Control: no-store\r\n"))
    #expect(response.contains("Referrer-Policy: no-referrer\r\n"))
  }

  @Test func `the URL is on the loopback interface and its token has 192 bits`() throws {
    let url = try inspector.start()

    #expect(url.host() == "127.0.0.1")
    #expect(path(url).dropFirst().dropLast().count == 48)
    #expect(try inspector.start() == url)
    #expect(try Inspector().start() != url)
  }

  @Test func `a wrong token, another host and another origin get nothing`() async throws {
    let url = try inspector.start()
    try await load("/items/17")
    let own = "Host: 127.0.0.1:\(url.port ?? 0)"
    let wrong = path(url).replacingOccurrences(of: "/", with: "") + "0"

    let responses = [
      try PageClient.exchange("/", at: url),
      try PageClient.exchange("/\(wrong)/", at: url),
      try PageClient.exchange("/\(wrong)/events", at: url),
      try PageClient.exchange(path(url), at: url, fields: ["Host: evil.example"]),
      try PageClient.exchange(path(url), at: url, fields: ["Host: localhost:\(url.port ?? 0)"]),
      try PageClient.exchange(path(url), at: url, fields: [own, "Origin: https://evil.example"]),
      try PageClient.exchange(path(url) + "events", at: url, fields: [own, "Origin: null"]),
      try PageClient.exchange(path(url), at: url, method: "POST"),
    ]

    for response in responses {
      #expect(response.hasPrefix("HTTP/1.1 4"))
      #expect(response.hasSuffix("Content-Length: 0\r\n\r\n"))
    }
  }

  @Test func `the page receives loads while they happen`() async throws {
    let url = try inspector.start()
    let page = try PageClient(to: url)
    try page.get(path(url) + "events?since=0", at: url)
    #expect(try page.receive(through: "\r\n\r\n")?.contains("text/event-stream") == true)

    try await load("/first")
    let first = try page.receive(through: "\n\n")
    try await load("/second")
    let second = try page.receive(through: "\n\n")

    #expect(first?.hasPrefix("id: ") == true)
    #expect(first?.contains("\nevent: report\ndata: {") == true)
    #expect(first?.contains("first") == true)
    #expect(second?.contains("second") == true)
    page.close()
  }

  @Test func `the page receives the tables of objects, and a saved page has them`()
    async throws
  {
    let cache = HTTPCache(.memory())
    inspector.show(cache, as: "shop")
    let network = StubTransport()
    network.stub("*", .json("1", headers: [.cacheControl: "max-age=60"]))
    let cached = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = network
      $0.middleware = [cache]
    }
    let url = try inspector.start()

    let first = try await nextTables(at: url)
    _ = try await cached.load(.json(.get("/menu"), as: Int.self))
    let second = try await nextTables(at: url)
    let saved = try await onThread {
      try PageClient.exchange("\(url.path())loads.html?loads=1", at: url)
    }

    #expect(first.contains(#""title":"Cache: shop","note":"0 responses, 0 bytes""#))
    #expect(second.contains(#""text":"https://api.example.org/menu""#))
    #expect(saved.contains("https://api.example.org/menu"))
    withExtendedLifetime(cache) {}
  }

  /// Opens the events, and returns the first tables.
  private func nextTables(at url: URL) async throws -> String {
    try await onThread {
      let page = try PageClient(to: url)
      defer { page.close() }
      try page.get("\(url.path())events?since=0", at: url)
      _ = try page.receive(through: "event: tables\ndata: ")
      return try page.receive(through: "\n\n") ?? ""
    }
  }

  /// Runs what blocks on a thread of its own, so that tables can be read meanwhile.
  private func onThread(_ body: @escaping @Sendable () throws -> String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
  }

  @Test func `a page that doesn't read holds up neither loads nor other pages`() async throws {
    let url = try inspector.start()
    let long = String(repeating: "x", count: 2_000)
    for number in 1...60 { try await load("/\(number)/\(long)") }
    // The first event is larger than all buffers.
    let slow = try PageClient(to: url, receiveBuffer: 4_096)
    try slow.get(path(url) + "events?since=0", at: url)
    #expect(try slow.receive(through: "\ndata: ") != nil)

    for number in 61...70 { try await load("/\(number)") }

    #expect(try PageClient.exchange(path(url), at: url).contains("/70"))
    #expect(try PageClient.exchange(path(url) + "loads/70", at: url).contains("curl"))
    let first = try slow.receive(through: "\n\n")
    let second = try slow.receive(through: "\n\n")
    #expect(first?.contains("/60/") == true)
    // Everything that happened in the meantime is in one event.
    #expect(second?.contains("/61") == true && second?.contains("/70") == true)
    slow.close()
  }

  @Test func `a load's details, its archive and its page are served`() async throws {
    let url = try inspector.start()
    try await load("/alpha")
    try await load("/omega")

    let details = try PageClient.exchange(path(url) + "loads/2", at: url)
    let archive = try PageClient.exchange(path(url) + "archive.har?loads=2", at: url)
    let page = try PageClient.exchange(path(url) + "loads.html?loads=2", at: url)

    #expect(details.contains(#""curl":"curl -H 'Accept: application/json' 'https:"#))
    #expect(archive.contains("omega") && !archive.contains("alpha"))
    #expect(page.contains("/omega") && !page.contains("/alpha"))
    #expect(try PageClient.exchange(path(url) + "loads/3", at: url).hasPrefix("HTTP/1.1 404"))
  }

  @Test func `more connections than a few are closed, and those that end make room`() throws {
    let url = try inspector.start()
    let held = try (0..<8).map { _ in try PageClient(to: url) }
    for page in held {
      try page.get(path(url) + "events", at: url)
      _ = try page.receive(through: "\r\n\r\n")
    }

    let ninth = try PageClient(to: url)
    #expect(throws: Never.self) { try? ninth.get(path(url), at: url) }
    #expect((try? ninth.receiveToEnd()) ?? "" == "")
    held[0].close()

    // The server notices soon that the page has left.
    var response = ""
    while response.isEmpty { response = (try? PageClient.exchange(path(url), at: url)) ?? "" }
    #expect(response.hasPrefix("HTTP/1.1 200"))
  }

  @Test func `after the end of the server nothing is served, and pages are disconnected`()
    async throws
  {
    let url = try inspector.start()
    let page = try PageClient(to: url)
    try page.get(path(url) + "events", at: url)
    _ = try page.receive(through: "\r\n\r\n")

    inspector.stop()

    #expect(try page.receive(through: "never") == nil)
    let next = try inspector.start()
    #expect(next != url)
    #expect(try PageClient.exchange(path(url), at: next).hasPrefix("HTTP/1.1 404"))
  }

  @Test func `an observer that was set before is still called`() async throws {
    let events = Events()
    let network = StubTransport()
    network.stub("*", .json("1"))
    let inspector = inspector
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = network
      $0.observer = { events.note("\($0.kind)") }
      $0.inspect(with: inspector)
    }

    _ = try await client.load(.json(.get("/items"), as: Int.self))

    #expect(events.all.last == "parsed")
    #expect(try await inspector.html().contains("/items"))
  }
}
