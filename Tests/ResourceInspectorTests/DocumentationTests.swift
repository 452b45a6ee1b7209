import Foundation
import ResourceCache
import ResourceInspector
import ResourceLoading
import ResourceOutbox
import ResourceState
import ResourceStore
import ResourceTesting
import TestSupport
import Testing

/// The samples of the documentation, word for word; the last test compares them.
@Suite(.inTurn, .timeLimit(.minutes(15))) struct DocumentationTests {
  private let url = URL(string: "https://api.example.org")!

  @Test func `the sample of the inspector works`() throws {
    let inspector = Inspector()
    let client = Client(baseURL: url) {
      $0.middleware = [CoalescingMiddleware(), RetryMiddleware()]
      $0.inspect(with: inspector)
    }
    print("Loads: \(try inspector.start())")
    #expect(client.configuration.observer != nil)
  }

  @Test func `the samples of the article work`() async throws {
    let inspector = Inspector()
    let client = Client(baseURL: url) {
      $0.middleware = [CoalescingMiddleware(), RetryMiddleware()]
      $0.inspect(with: inspector, as: "shop")
    }
    print("Loads: \(try inspector.start())")
    #expect(client.configuration.observer != nil)
    let temporary = try TemporaryFolder()
    let folder = temporary.url

    let page = folder.appending(path: "loads.html")
    try await inspector.html().write(to: page, atomically: true, encoding: .utf8)
    try inspector.archive().write(to: folder.appending(path: "loads.har"))

    #expect(try temporary.names == ["loads.har", "loads.html"])
  }

  @Test func `the sample of caches, outboxes and live resources works`() async throws {
    let inspector = Inspector()
    let cache = HTTPCache(.memory())
    let client = Client(baseURL: url) { $0.middleware = [cache] }
    let outbox = try await Outbox(store: try await SQLiteStore.inMemory(), client: client)
    let live = await LiveResources(client)

    inspector.show(cache, as: "shop")
    inspector.show(outbox)
    inspector.show(live)

    let page = try await inspector.html()
    for title in ["Cache: shop", "Outbox", "Live resources"] {
      #expect(page.contains("\"title\":\"\(title)\""))
    }
    await outbox.close()
    withExtendedLifetime((cache, live)) {}
  }

  @Test func `every sample of the documentation is here`() throws {
    let compiled = DocumentationSamples.trimmed(
      try String(contentsOfFile: "\(#filePath)", encoding: .utf8))

    let samples = try DocumentationSamples.all(in: "Sources/ResourceInspector")
    #expect(samples.count >= 5)
    for sample in samples {
      #expect(compiled.contains(sample), "not compiled:\n\(sample)")
    }
  }
}
