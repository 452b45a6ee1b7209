import Foundation
import PromiseModule
import ResourceCache
import ResourceTesting
import Synchronization
import Testing

@testable import ResourceLoading
@testable import ResourceState

/// A client with middleware in place of the scripted loader.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ClientScenarios {
  private let transport = StubTransport()
  private let clock = ManualClock()

  private func client(_ middleware: any Middleware...) -> Client {
    Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
      $0.middleware = middleware
      $0.clock = clock
    }
  }

  private func answer(_ text: String, _ headers: Headers) -> StubAnswer {
    .response(headers: headers, body: Data(text.utf8))
  }

  private func wait(until condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test func `a load that the client retries is one load`() async throws {
    transport.stub("/a", .status(503), answer("1", [.cacheControl: "max-age=60"]))
    let live = LiveResources(client(RetryMiddleware()), clock: clock)
    let resource = live.resource(.a)
    _ = resource.value
    try await clock.waitForSleepers(count: 1, within: .seconds(30))
    #expect(resource.isLoading && resource.error == nil)
    await wait {
      clock.advanceToNextDeadline()
      return resource.value == "1"
    }

    #expect(resource.error == nil)
  }

  @Test func `the stored value is there after a restart, without a network`() async {
    let storage = MemoryResponseStorage()
    transport.stub("/a", answer("1", [.cacheControl: "max-age=0", "ETag": "\"1\""]))
    do {
      let live = LiveResources(client(HTTPCache(storage)), clock: clock)
      let value = try? await live.promise(of: .a).value
      #expect(value == "1")
    }
    transport.stub("/a", .error(LoadError(.connection, "no network")))

    let live = LiveResources(client(HTTPCache(storage)), clock: clock)
    let resource = live.resource(.a)
    _ = resource.value
    await wait { resource.error != nil }

    #expect(resource.value == "1")
    #expect(resource.isStale)
  }

  @Test func `a response that isn't modified changes nothing but the date`() async {
    let headers: Headers = [.cacheControl: "max-age=0", "ETag": "\"1\""]
    transport.stub("/a") { request in
      request.headers["If-None-Match"] == nil
        ? .response(headers: headers, body: Data("1".utf8))
        : .response(status: 304, headers: headers)
    }
    let live = LiveResources(client(HTTPCache(.memory())), clock: clock)
    let resource = live.resource(.a)
    _ = resource.value
    await wait { resource.value == "1" }
    let values = ChangeCounter { _ = resource.value }

    await resource.reload()

    #expect(transport.requests.count == 2)
    #expect(values.count == 0)
    #expect(resource.value == "1" && resource.error == nil)
  }

  @Test func `an error has what the resource reads out of error bodies`() async {
    transport.stub("/a", .response(status: 422, body: Data(#"{"code": 7}"#.utf8)))
    let live = LiveResources(client(), clock: clock)
    let resource = live.resource(Resource.a.errorBody([String: Int].self))
    _ = resource.value
    await wait { resource.error != nil }

    #expect((resource.error as? LoadError)?.errorBody as? [String: Int] == ["code": 7])
  }

  @Test func `a loader of samples gives live resources their samples`() async throws {
    let live = LiveResources(SampleLoader(), clock: clock)

    #expect(try await live.promise(of: .a.sample("1", as: .text)).value == "1")
  }

  @Test func `the resource's own observer is told of uploads, too`() async throws {
    let told = Mutex<[TransferProgress.Direction]>([])
    let resource = Resource.a.onProgress(of: .upload) { step in
      told.withLock { $0.append(step.direction) }
    }

    _ = try await LiveResources(UploadingLoader(), clock: clock).promise(of: resource).value

    #expect(told.withLock(\.self) == [.upload])
  }

  @Test(arguments: ["/users/\("octo")/repos", "https://api.example.org/users/\("octo")/repos"])
  func `the request of a live resource knows how its path was written`(path: RequestPath) {
    let request = LiveKey(Resource.text(at: path)).request

    #expect(request.template.text(in: "/users/octo/repos") == "/users/{}/repos")
  }

  @Test func `signing out empties the cache, too`() async throws {
    let cache = HTTPCache(.memory())
    transport.stub("/a", answer("1", [.cacheControl: "max-age=1000"]))
    let live = LiveResources(client(cache), clock: clock)
    _ = try await live.promise(of: .a).value

    try await live.removeAll(with: cache)
    transport.stub("/a", answer("2", [.cacheControl: "max-age=1000"]))

    #expect(try await live.promise(of: .a).value == "2")
  }
}

/// A loader that reports an upload, and then gives an empty response.
private struct UploadingLoader: Loader {
  func load<R>(_ resource: Resource<R>) async throws -> R {
    resource.progress?(TransferProgress(.upload, completed: 4, of: 4))
    return try resource.parser(.text(""))
  }
}
