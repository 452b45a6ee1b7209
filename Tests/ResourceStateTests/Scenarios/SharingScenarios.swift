import ResourceLoading
import Testing

@testable import ResourceState

/// The observers of a resource and their shared state.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct SharingScenarios {
  private let rig = Rig()

  @Test func `two callers get the same object for the same resource`() {
    let one = rig.live.resource(.a)

    #expect(rig.live.resource(.a) === one)
    #expect(rig.live.resource(.b) !== one)
  }

  @Test func `the same request with another type is another resource`() async {
    let bytes = Resource(.get("/a")) { $0.body.count }
    let (text, count) = (rig.live.resource(.a), rig.live.resource(bytes))
    _ = (text.value, count.value)

    await rig.answer("/a", "abc")
    await rig.answer("/a", "abc")

    #expect(text.value == "abc")
    #expect(count.value == 3)
  }

  @Test func `a query is a part of what identifies a resource`() {
    let one = rig.live.resource(Resource.text(at: "/a"))
    let other = rig.live.resource(
      Resource(Request(.get, "/a", query: ["page": "2"])) { _ in "" })

    #expect(one !== other)
  }

  @Test func `observers of one resource share one load`() async {
    let received = (Received<String>(), Received<String>())
    let observations = [
      rig.live.observe(.a) { received.0($0) }, rig.live.observe(.a) { received.1($0) },
    ]
    let resource = rig.live.resource(.a)
    _ = resource.value

    await rig.answer("/a", "1")

    #expect(rig.loads("/a") == 1)
    #expect(received.0.values.last == "1")
    #expect(received.1.values.last == "1")
    #expect(resource.value == "1")
    _ = observations
  }

  @Test func `an observer that comes during a load joins it`() async {
    let first = rig.live.observe(.a) { _ in }
    await rig.settle()

    let received = Received<String>()
    let second = rig.live.observe(.a) { received($0) }
    await rig.answer("/a", "1")

    #expect(rig.loads("/a") == 1)
    #expect(received.values.last == "1")
    _ = (first, second)
  }

  @Test func `an observer of a value that is there gets it without a load`() async {
    let resource = await rig.loaded(.a, "1")

    let received = Received<String>()
    let observation = rig.live.observe(.a) { received($0) }
    await rig.settle()

    #expect(received.values == ["1"])
    #expect(rig.loads("/a") == 1)
    _ = (resource, observation)
  }

  @Test func `a resource without observers isn't loaded`() async {
    let resource = rig.live.resource(.a)
    await rig.pass(.seconds(10_000))

    #expect(rig.loads("/a") == 0)
    _ = resource
  }

  @Test func `reading a property is observing, and loads in the next turn`() async {
    let resource = rig.live.resource(.a)

    #expect(!resource.isLoading)
    await rig.settle()

    #expect(resource.isLoading)
    #expect(rig.loader.waiting == ["/a"])
  }

  @Test func `reading again and again loads once`() async {
    let resource = await rig.loaded(.a, "1", maxAge: nil)

    for _ in 0..<10 {
      _ = (resource.value, resource.isStale, resource.state)
      await rig.settle()
    }

    #expect(rig.loads("/a") == 1)
  }

  @Test func `the load is cancelled when the last observer leaves`() async {
    let (first, second) = (rig.live.observe(.a) { _ in }, rig.live.observe(.a) { _ in })
    await rig.settle()

    first.cancel()
    await rig.settle()
    #expect(rig.loader.cancellations("/a") == 0)
    second.cancel()
    await rig.settle()

    #expect(rig.loader.cancellations("/a") == 1)
  }

  @Test func `a load continues without observers if the options say so`() async {
    let options = LiveOptions.with { $0.cancelsWhenUnobserved = false }
    let observation = rig.live.observe(.a, options: options) { _ in }
    await rig.settle()

    observation.cancel()
    await rig.answer("/a", "1")

    #expect(rig.loader.cancellations("/a") == 0)
    #expect(rig.live.resource(.a).value == "1")
  }

  @Test func `letting go of the object cancels its load`() async {
    var resource: LiveResource? = rig.live.resource(.a)
    _ = resource?.value
    await rig.settle()

    resource = nil
    await rig.settle()

    #expect(rig.loader.cancellations("/a") == 1)
  }

  @Test func `a released observation isn't notified anymore`() async {
    let received = Received<String>()
    var observation: LiveObservation? = rig.live.observe(.a) { received($0) }
    await rig.settle()
    let count = received.states.count

    _ = observation
    observation = nil
    rig.live.set(.a, to: "1")
    await rig.settle()

    #expect(received.states.count <= count)
  }

  @Test func `an observer that another one ends isn't notified anymore`() async {
    let (received, ended) = (Received<String>(), Held())
    let one = rig.live.observe(.a) { _ in ended.observation?.cancel() }
    ended.observation = rig.live.observe(.a) { received($0) }
    let last = rig.live.observe(.a) { _ in }
    await rig.answer("/a", "1")

    #expect(received.states.isEmpty)
    withExtendedLifetime((one, last)) {}
  }

  @Test func `an observation that is cancelled twice ends once`() async {
    let received = Received<String>()
    let (one, other) = (rig.live.observe(.a) { _ in }, rig.live.observe(.a) { received($0) })

    one.cancel()
    one.cancel()
    await rig.answer("/a", "1")

    #expect(received.values.last == "1")
    _ = other
  }

  @Test func `an observer that comes back after a cancelled load loads again`() async {
    rig.live.observe(.a) { _ in }.cancel()
    await rig.settle()

    let received = Received<String>()
    let observation = rig.live.observe(.a) { received($0) }
    await rig.answer("/a", "1")

    #expect(received.values.last == "1")
    _ = observation
  }
}

/// How long a state is kept.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct GraceScenarios {
  private let rig = Rig(.with { $0.grace = .seconds(300) })

  @Test func `an observer that comes back within the grace time finds the value`() async {
    _ = await rig.loaded(.a, "1", maxAge: 1000)
    await rig.pass(.seconds(299))

    #expect(rig.live.resource(.a).value == "1")
    #expect(rig.loads("/a") == 1)
  }

  @Test func `a state that nobody holds is freed after the grace time`() async {
    _ = await rig.loaded(.a, "1")
    await rig.settle()
    #expect(rig.live.count == 1)

    await rig.pass(.seconds(300))

    #expect(rig.live.count == 0)
    #expect(rig.live.resource(.a).value == nil)
  }

  @Test func `holding the object keeps its state`() async {
    let resource = await rig.loaded(.a, "1")

    await rig.pass(.seconds(10_000))

    #expect(rig.live.count == 1)
    #expect(resource.value == "1")
  }

  @Test func `an observer keeps the state`() async {
    let observation = rig.live.observe(.a) { _ in }
    await rig.answer("/a", "1")

    await rig.pass(.seconds(10_000))

    #expect(rig.live.count == 1)
    _ = observation
  }

  @Test func `coming back restarts the grace time`() async {
    _ = await rig.loaded(.a, "1", maxAge: 10_000)
    await rig.pass(.seconds(200))
    _ = rig.live.resource(.a).value
    await rig.settle()
    await rig.pass(.seconds(200))

    #expect(rig.live.count == 1)
    await rig.pass(.seconds(100))
    #expect(rig.live.count == 0)
  }

  @Test func `without a grace time the state is freed at once`() async {
    let options = LiveOptions.with { $0.grace = .zero }
    _ = await rig.loaded(.a, "1", options: options)
    await rig.settle()

    #expect(rig.live.count == 0)
  }

  @Test func `a value that was set for later is kept for the grace time`() async {
    rig.live.set(.a, to: "1")
    await rig.pass(.seconds(299))
    #expect(rig.live.count == 1)

    await rig.pass(.seconds(1))

    #expect(rig.live.count == 0)
  }
}

/// An observation that a callback ends.
@MainActor
private final class Held {
  var observation: LiveObservation?
}
