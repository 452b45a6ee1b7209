import Foundation
import PromiseModule
import ResourceCache
import ResourceInspector
import ResourceLoading
import ResourceOutbox
import ResourceState
import ResourceStore
import ResourceTesting

/// A cache, an outbox and live resources with nine secrets, which an inspector shows. The server
/// repeats what it is sent.
struct ShownObjects: Sendable {
  let cache = HTTPCache(.memory())
  let outbox: Outbox
  let live: LiveResources
  private let network = StubTransport()
  private let kept: (LiveResource<String>, [LiveObservation])

  init(in inspector: Inspector, _ secrets: [String]) async throws {
    network.stub("GET /menu", .json("1", headers: Self.menu))
    network.stub("GET /live", .json("1", headers: [.cacheControl: "max-age=60"]))
    network.stub("*") { request in
      let body = String(decoding: (try? request.body?.data()) ?? Data(), as: UTF8.self)
      let text = "refused \(request.url) \(request.headers.map(\.value)) \(body)"
      let answer = (try? JSONEncoder().encode(["message": text])) ?? Data()
      return .json(String(decoding: answer, as: UTF8.self), status: 400)
    }
    let (cache, network) = (cache, network)
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = network
      $0.middleware = [cache]
      $0.headers["X-Api-Key"] = secrets[0]
    }
    for language in ["de", "fr"] {
      let menu = Request.get("/menu").query(["access_token": secrets[1]])
        .header(.authorization, "Bearer \(secrets[2])").header(.acceptLanguage, language)
      _ = try await client.load(.json(menu, as: Int.self))
    }
    outbox = try await Outbox(store: try await SQLiteStore.inMemory(), client: client)
    let note = Request.put("/notes/1").json(["text": "a", "password": secrets[3]])
    let receipt = try await outbox.add(note, as: "note") { try $0.attach(secrets[4]) }
    _ = try? await receipt.answer()
    (live, kept) = await Self.live(client, secrets)
    inspector.show(cache, as: "shop")
    inspector.show(outbox)
    inspector.show(live)
  }

  private static let menu: Headers = [
    .cacheControl: "max-age=60, stale-while-revalidate=30", .vary: "Accept-Language, X-Api-Key",
    "X-Session": "in no table",
  ]

  @MainActor
  private static func live(
    _ client: Client, _ secrets: [String]
  ) async -> (LiveResources, (LiveResource<String>, [LiveObservation])) {
    let live = LiveResources(client)
    let shown = Request.get("/live").query(["token": secrets[5]])
    let broken = Request.get("/broken").query(["client_secret": secrets[6]])
      .header(.cookie, "session=\(secrets[7])")
    let resources = [shown, broken].map { Resource<Int>.json($0, as: Int.self) }
    let observations = resources.map { live.observe($0) { _ in } }
    for resource in resources { _ = try? await live.promise(of: resource).get() }
    let text = live.resource(
      Resource(.get("/text")) { String(decoding: $0.body, as: UTF8.self) })
    text.set(secrets[8])
    return (live, (text, observations))
  }

  /// Those that the server has seen.
  func receivedSecrets(_ secrets: some Sequence<String>) -> Set<String> {
    let received = network.requests.map { request in
      let body = String(decoding: (try? request.body?.data()) ?? Data(), as: UTF8.self)
      return "\(request.url.absoluteString) \(request.headers.map(\.value)) \(body)"
    }.joined()
    return Set(secrets.filter(received.contains))
  }

  /// Stops the outbox.
  func close() async { await outbox.close() }
}
