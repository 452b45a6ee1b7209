import Foundation
import PromiseModule
import ResourceLoading
import Testing

@testable import ResourceState

/// How long the register keeps a resource.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct EntryTests {
  enum Visit: CaseIterable, Sendable {
    case object, callback, loop, promise, write, value
  }

  private let rig = Rig(.with { $0.grace = .seconds(300) })

  /// Holds the resource for a moment.
  private func visit(_ visit: Visit) async {
    switch visit {
    case .object: _ = rig.live.resource(.a).value
    case .callback: rig.live.observe(.a) { _ in }.cancel()
    case .loop: _ = rig.live.states(of: .a)
    case .promise: rig.live.promise(of: .a).cancel()
    case .write:
      let write = await rig.write { $0.update(.a) { $0 += "+" } }
      await rig.answer("/write", "")
      _ = try? await write.value
    case .value: rig.live.set(.a, to: "2")
    }
    await rig.settle()
  }

  @Test(arguments: Visit.allCases.filter { $0 != .value })
  func `a visit begins the grace time again`(visit: Visit) async {
    _ = await rig.loaded(.a, "1", maxAge: nil)
    await rig.pass(.seconds(200))
    await self.visit(visit)

    await rig.pass(.seconds(200))
    #expect(rig.live.count == 1)
    await rig.pass(.seconds(100))
    #expect(rig.live.count == 0)
  }

  @Test func `a value that is set doesn't prolong the grace time`() async {
    _ = await rig.loaded(.a, "1")
    await rig.pass(.seconds(200))
    await visit(.value)

    await rig.pass(.seconds(100))

    #expect(rig.live.count == 0)
  }

  @Test func `a resource with its own cache policy can be reloaded`() async {
    let transport = StubbedCache()
    let live = LiveResources(transport, clock: rig.clock)
    let request = Request.get("/a").cachePolicy(.cacheOnly)
    let resource = live.resource(Resource(request) { String(decoding: $0.body, as: UTF8.self) })

    await resource.reload()

    #expect(resource.value == "stored" && !resource.isLoading)
  }
}

/// A loader that answers every load from a cache.
private struct StubbedCache: Loader {
  func load<R>(_ resource: Resource<R>) async throws -> R {
    var response = Response.text("stored")
    response.source = .cache(age: .seconds(1))
    return try resource.parser(response)
  }
}
