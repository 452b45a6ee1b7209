import Foundation
import Observation
import ResourceLoading
import Synchronization
import Testing

@testable import ResourceState

/// Changes that are made while another one is being made.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct ReentrancyTests {
  private let rig = Rig()

  @Test func `an update inside an update follows it`() async {
    let resource = await rig.loaded(.a, "1")

    resource.update { [live = rig.live] in
      $0 += "x"
      live.update(.a) { $0 += "y" }
    }

    #expect(resource.value == "1xy")
  }

  @Test func `a value set inside an update replaces it`() async {
    let resource = await rig.loaded(.a, "1")

    resource.update {
      $0 += "x"
      resource.set("2")
    }

    #expect(resource.value == "2")
  }

  @Test func `an update inside an update is made once, however often that is applied`() async {
    let (a, b) = (await rig.loaded(.a, "1"), await rig.loaded(.b, "1"))
    let write = await rig.write { $0.update(.a) { $0 += "w" } }
    a.update { [live = rig.live] in
      $0 += "x"
      live.update(.a) { $0 += "y" }
      live.update(.b) { $0 += "z" }
    }
    #expect(a.value == "1wxy" && b.value == "1z")

    await rig.fail("/write")
    _ = try? await write.value

    #expect(a.value == "1xy" && b.value == "1z")
  }

  @Test func `a change inside a write's change is made once, and stays when the write fails`()
    async
  {
    let (a, b) = (await rig.loaded(.a, "1"), await rig.loaded(.b, "1"))
    let write = await rig.write { [live = rig.live] in
      $0.update(.a) {
        $0 += "w"
        live.update(.b) { $0 += "z" }
      }
    }
    a.update { $0 += "x" }
    await rig.fail("/write")
    _ = try? await write.value

    #expect(a.value == "1x" && b.value == "1z")
  }

  @Test func `a value set by an observer before a change isn't lost`() async {
    let resource = await rig.loaded(.a, "1")
    withObservationTracking {
      _ = resource.value
    } onChange: {
      MainActor.assumeIsolated { resource.set("3") }
    }

    resource.set("2")

    #expect(resource.value == "3")
  }

  @Test func `pages that an observer invalidates during a change are loaded again`() async {
    let pages = rig.live.pages(
      of: .text(at: "/list"), by: .following { _ in nil }, elements: { $0.map(Letter.init) })
    _ = pages.elements
    await rig.settle()
    withObservationTracking {
      _ = pages.elements
    } onChange: {
      MainActor.assumeIsolated { pages.invalidate() }
    }
    await rig.answer("/list", "a")
    await rig.answer("/list", "b")

    #expect(pages.elements.map(\.id) == ["b"])
    #expect(!pages.isStale)
  }
}

private struct Letter: Identifiable {
  let id: Character
}
