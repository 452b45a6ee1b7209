import Foundation
import PromiseModule
import ResourceTesting
import Synchronization
import Testing

@testable import ResourceLoading
@testable import ResourceState

/// The parts of a resource that its live state passes to each load.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct KeptPartsTests {
  @Test func `an error has the error body as the resource reads it`() async {
    let transport = StubTransport()
    transport.stub("/a", .response(status: 422, body: Data(#"{"code": 7}"#.utf8)))
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
    }
    let resource = Resource.a.errorBody(.json([String: Int].self))

    let error = await #expect(throws: LoadError.self) {
      try await LiveResources(client).promise(of: resource).value
    }

    #expect(error?.errorBody(as: [String: Int].self) == ["code": 7])
  }

  @Test func `a loader of samples fulfils live resources with their samples`() async throws {
    let live = LiveResources(SampleLoader())

    #expect(try await live.promise(of: .a.sample("1", as: .text)).value == "1")
  }

  @Test func `the resource's own observer receives upload progress, too`() async throws {
    let received = Mutex<[TransferProgress.Direction]>([])
    let resource = Resource.a.onProgress(of: .upload) { step in
      received.withLock { $0.append(step.direction) }
    }

    _ = try await LiveResources(UploadingLoader()).promise(of: resource).value

    #expect(received.withLock(\.self) == [.upload])
  }

  @Test(arguments: ["/users/\("octo")/repos", "https://api.example.org/users/\("octo")/repos"])
  func `the request of a live resource knows how its path was written`(path: RequestPath) {
    let request = LiveKey(Resource.text(at: path)).request

    #expect(request.template.text(in: "/users/octo/repos") == "/users/{}/repos")
  }
}

/// A loader that reports an upload, then returns an empty response.
private struct UploadingLoader: Loader {
  func load<R>(_ resource: Resource<R>) async throws -> R {
    resource.progress?(TransferProgress(.upload, completed: 4, of: 4))
    return try resource.parser(.text(""))
  }
}
