import Foundation
import Observation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

@testable import ResourceState

/// The parts of a state, and when their observers are notified.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct StateScenarios {
  private let rig = Rig()

  @Test func `the states of a load are empty, loading, loaded`() async throws {
    let resource = rig.live.resource(.a)
    var states = [name(resource.state)]
    await rig.settle()
    states.append(name(resource.state))
    await rig.answer("/a", "1")
    states.append(name(resource.state))

    #expect(states == ["nothing", "loading nothing", "1"])
  }

  @Test func `a failed first load has an error and no value`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.fail("/a")

    #expect(name(resource.state) == "failed nothing")
    #expect(!resource.isStale)
  }

  @Test func `a failed reload keeps the value and shows the error beside it`() async {
    let resource = await rig.loaded(.a, "1")
    resource.invalidate()
    #expect(name(resource.state) == "loading 1")
    await rig.fail("/a", "no network")

    #expect(resource.value == "1")
    #expect((resource.error as? LoadError)?.reason == "no network")
    #expect(name(resource.state) == "failed 1")
  }

  @Test func `a load that succeeds removes the error`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.fail("/a")
    rig.live.reloadStale()
    await rig.answer("/a", "1")

    #expect(resource.error == nil)
  }

  @Test func `the error stays while the next load is under way`() async {
    let resource = await rig.loaded(.a, "1", maxAge: nil)
    resource.invalidate()
    await rig.fail("/a")
    rig.live.reloadStale()
    await rig.settle()

    #expect(resource.error != nil && resource.isLoading)
  }

  @Test func `a value that can't be parsed is an error`() async {
    struct Malformed: Error {}
    let resource = rig.live.resource(Resource<Int>(.get("/a")) { _ in throw Malformed() })
    _ = resource.value
    await rig.answer("/a", "x")

    #expect(resource.error is Malformed)
  }

  @Test func `reading a failed resource doesn't load it again`() async {
    let resource = rig.live.resource(.a)
    let counter = ChangeCounter { _ = (resource.value, resource.error, resource.isLoading) }
    await rig.settle()
    await rig.fail("/a")
    await rig.settle()

    #expect(rig.loads("/a") == 1)
    _ = counter
  }

  @Test func `an equal value changes nothing`() async {
    let resource = await rig.loaded(.a, "1", maxAge: nil)
    let received = Received<String>()
    let observation = rig.live.observe(.a, selecting: \.self) { received(LiveState(value: $0)) }
    await rig.answer("/a", "1", maxAge: nil)
    let tracked = Mutex(0)
    withObservationTracking {
      _ = resource.value
    } onChange: {
      tracked.withLock { $0 += 1 }
    }

    resource.invalidate()
    await rig.answer("/a", "1", maxAge: nil)

    #expect(received.values == ["1"])
    #expect(tracked.withLock(\.self) == 0)
    _ = observation
  }

  @Test func `the same response changes nothing, if its value can't be compared`() async {
    struct Opaque: Sendable { let text: String }
    let resource = rig.live.resource(
      Resource(.get("/a")) { Opaque(text: String(decoding: $0.body, as: UTF8.self)) })
    _ = resource.value
    await rig.answer("/a", "1")
    let tracked = Mutex(0)
    withObservationTracking {
      _ = resource.value
    } onChange: {
      tracked.withLock { $0 += 1 }
    }

    resource.invalidate()
    await rig.answer("/a", "1")
    #expect(tracked.withLock(\.self) == 0)
    resource.invalidate()
    await rig.answer("/a", "2")

    #expect(tracked.withLock(\.self) == 1)
    #expect(resource.value?.text == "2")
  }

  @Test func `a response that the server confirms moves the date, and makes the value fresh`()
    async throws
  {
    let resource = await rig.loaded(.a, "1")
    let first = try #require(resource.updated)
    await rig.pass(.seconds(60))
    resource.invalidate()
    await rig.answer("/a", "1")

    #expect(!resource.isStale)
    #expect(try #require(resource.updated).timeIntervalSince(first) > 59.9)
  }

  @Test func `each property is observed on its own`() async {
    let resource = await rig.loaded(.a, "1")
    let (values, loadings) = (
      ChangeCounter { _ = resource.value }, ChangeCounter { _ = resource.isLoading }
    )

    resource.invalidate()
    await rig.answer("/a", "1")
    await rig.settle()

    #expect(values.count == 0)
    #expect(loadings.count > 0)
  }

  @Test func `several changes in one turn are one notification`() async {
    let received = Received<String>()
    let observation = rig.live.observe(.a) { received($0) }
    await rig.answer("/a", "0")
    let count = received.states.count

    for number in 1...10 { rig.live.set(.a, to: "\(number)") }
    await rig.settle()

    #expect(received.states.count == count + 1)
    #expect(received.values.last == "10")
    _ = observation
  }

  @Test func `a value that was set can be read at once`() {
    let resource = rig.live.resource(.a)
    resource.set("1")

    #expect(resource.value == "1")
  }

  @Test func `the states of a loop begin with the present one`() async {
    let resource = await rig.loaded(.a, "1")
    var states = rig.live.states(of: .a).makeAsyncIterator()

    #expect(await states.next()?.value == "1")
    resource.set("2")
    #expect(await states.next()?.value == "2")
  }

  @Test func `a loop that is slow gets the last state`() async {
    let resource = await rig.loaded(.a, "1")
    var states = rig.live.states(of: .a).makeAsyncIterator()
    _ = await states.next()
    for number in 2...9 {
      resource.set("\(number)")
      await rig.settle()
    }

    #expect(await states.next()?.value == "9")
  }

  @Test func `leaving a loop ends its observation, and cancels the load`() async {
    let loop = Task { [live = rig.live] in for await _ in live.states(of: .a) {} }
    while rig.loads("/a") == 0 { await Task.yield() }
    await rig.settle()

    loop.cancel()
    await loop.value
    await rig.settle()

    #expect(rig.loader.cancellations("/a") == 1)
  }

  @Test func `a sequence of states that is never iterated ends with its last reference`() async {
    do { _ = rig.live.states(of: .a) }
    await rig.settle()

    #expect(rig.loader.cancellations("/a") <= 1)
    #expect(rig.loader.waitingCount == 0)
  }

  @Test func `an observer of a part is notified when that part changes`() async {
    let resource = await rig.loaded(.a, "abc")
    var counts: [Int] = []
    let observation = rig.live.observe(.a, selecting: \.count) { counts.append($0) }
    await rig.settle()
    for text in ["xyz", "four", "five", "x"] {
      resource.set(text)
      await rig.settle()
    }

    #expect(counts == [3, 4, 1])
    _ = observation
  }

  @Test func `a promise of a fresh value is fulfilled without a load`() async throws {
    let resource = await rig.loaded(.a, "1")

    #expect(try await rig.live.promise(of: .a).value == "1")
    #expect(rig.loads("/a") == 1)
    _ = resource
  }

  @Test func `a promise waits for a fresh value in place of a stale one`() async throws {
    let resource = await rig.loaded(.a, "1", maxAge: nil)
    let promise = rig.live.promise(of: .a)
    await rig.answer("/a", "2")

    #expect(try await promise.value == "2")
    _ = resource
  }

  @Test func `a promise is rejected with the error of the load`() async {
    let promise = rig.live.promise(of: .a)
    await rig.fail("/a")

    await #expect(throws: LoadError.self) { try await promise.value }
  }

  @Test func `a promise that is cancelled cancels its load`() async {
    let promise = rig.live.promise(of: .a)
    await rig.settle()
    promise.cancel()
    await rig.settle()

    #expect(rig.loader.cancellations("/a") == 1)
  }

  @Test func `an observation doesn't retain a view model that it captures weakly`() async {
    @MainActor final class ViewModel {
      var observation: LiveObservation?
      var value: String?
      init(_ live: LiveResources) {
        observation = live.observe(.a) { [weak self] in self?.value = $0.value }
      }
    }
    var model: ViewModel? = ViewModel(rig.live)
    weak let released = model
    await rig.answer("/a", "1")
    #expect(model?.value == "1")

    model = nil
    await rig.settle()

    #expect(released == nil)
  }

  @Test func `a promise doesn't take a value that has just become stale`() async throws {
    let resource = await rig.loaded(.a, "1", maxAge: 60)
    rig.clock.advance(by: .seconds(61))

    let promise = rig.live.promise(of: .a)
    await rig.settle()

    #expect(rig.loads("/a") == 2)
    promise.cancel()
    _ = resource
  }

  private func name(_ state: LiveState<String>) -> String {
    let value = state.value ?? "nothing"
    return state.isLoading ? "loading \(value)" : state.error == nil ? value : "failed \(value)"
  }
}
