import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

/// What `dump`, debuggers and failed tests show of values with secrets in them.
struct DumpedSecretTests {
  private static let url =
    URL(
      string: "https://me:SWORDFISH@example.org/?token=SWORDFISH&a=b") ?? URL(filePath: "/")
  private static let request = Request.get(url).header(.authorization, "Bearer SWORDFISH")

  private static func event(_ kind: LoadEvent.Kind) async -> LoadEvent? {
    let transport = StubTransport()
    transport.stub("*", .status(.ok))
    let events = Mutex<[LoadEvent]>([])
    let client = Client {
      $0.transport = transport
      $0.observer = { event in events.withLock { $0.append(event) } }
    }
    try? await client.load(.void(request))
    var event = events.withLock { $0.first }
    event?.kind = kind
    return event
  }

  @Test(
    arguments: [
      .started(request), .sent(method: .get, url: url), .failed(LoadError(.connection, "\(url)")),
      .retrying(attempt: 2, after: .zero, because: "\(url)"), .cacheFailed(URLError(.badURL)),
    ] as [LoadEvent.Kind])
  func `an event shows no secret`(_ kind: LoadEvent.Kind) async throws {
    let event = try #require(await Self.event(kind))

    for shown in [shown(event), shown(kind), "\(event)", String(reflecting: event)] {
      #expect(!shown.contains("SWORDFISH"), "\(shown)")
      #expect(!shown.isEmpty)
    }
  }

  @Test func `requests, responses and their parts show no secret`() throws {
    var response = Response(url: Self.url, headers: ["Link": "<\(Self.url)>; rel=next"])
    response.headers[.setCookie] = "sid=SWORDFISH"
    let values: [Any] = [
      Self.request, Resource<Void>.void(Self.request), response, response.links,
      try WireRequest(Self.request), ["token": "SWORDFISH"] as QueryItems,
      Request.Body.form(["password": "SWORDFISH"]), Request.Body.text("SWORDFISH"),
      Multipart.Part.field("password", "SWORDFISH"),
      Request.post(Self.url).json(["a": "SWORDFISH"]),
      LoadError(.connection, "x", underlying: URLError(.badURL, userInfo: ["a": "SWORDFISH"])),
      BearerToken("SWORDFISH"),
    ]
    for value in values { #expect(!shown(value).contains("SWORDFISH"), "\(shown(value))") }
  }

  private func shown(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text + String(describing: value)
  }
}
