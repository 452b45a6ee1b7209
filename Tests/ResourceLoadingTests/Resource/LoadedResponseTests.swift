import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A value together with its response.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LoadedResponseTests {
  private func load(
    _ form: Form, _ resource: Resource<Int>, with loader: some Loader
  ) async throws -> LoadedResponse<Int> {
    switch form {
    case .callback:
      try await withCheckedThrowingContinuation { continuation in
        loader.load(resource.withResponse) { continuation.resume(with: $0) }
      }
    case .promise: try await loader.promise(for: resource.withResponse).get()
    case .await: try await loader.response(for: resource)
    }
  }

  @Test(arguments: Form.allCases)
  func `a value comes with status, headers and provenance`(_ form: Form) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /old") { _ in .redirect(to: "/new") }
      LoopbackRoute("GET /new") { _ in
        .response(status: 203, headers: ["ETag": "\"7\"", "Content-Type": "a/b"], body: "42")
      }
    }
    defer { server.stop() }
    let session = makeSession()
    let client = Client(baseURL: server.url())

    let loaded = try await [
      load(form, .json(server.url("/old")), with: session),
      load(form, .json(.get("/old")), with: client),
    ]

    for loaded in loaded {
      #expect(loaded.value == 42)
      #expect(loaded.response.status == .nonAuthoritativeInformation)
      #expect(loaded.response.headers[.eTag] == "\"7\"")
      #expect(loaded.response.url == server.url("/new"))
      #expect(loaded.response.body == Data("42".utf8))
      guard case .network = loaded.response.source else {
        Issue.record("it came \(loaded.response.source)")
        return
      }
    }
  }

  @Test func `a parser's error is the load's error`() async throws {
    let loader = StubLoader()
    loader.stub("*", .status(.noContent))

    let error = await #expect(throws: LoadError.self) {
      _ = try await loader.response(for: Resource<Int>(json: .get("/")))
    }

    #expect(error?.reason == "204 No Content comes without a body, so there is no Int in it")
  }

  @Test func `a stub of a value has a response`() async throws {
    let loader = StubLoader()
    loader.stub("*", .value(5))

    let loaded = try await loader.response(for: Resource<Int>(json: .get("/a")))

    #expect(loaded.value == 5 && loaded.response.status == .ok)
  }
}
