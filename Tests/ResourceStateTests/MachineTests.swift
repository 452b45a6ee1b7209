import Foundation
import Testing

@testable import ResourceLoading
@testable import ResourceState

/// The state machine alone, without a clock and loads.
@Suite
struct MachineTests {
  private let date = Date(timeIntervalSince1970: 0)

  /// A machine with a fresh value.
  private func loaded(_ options: LiveOptions = .plain) -> LiveMachine<Int> {
    var machine = LiveMachine<Int>(options: options, readsStored: false)
    _ = machine.arrive(at: .zero, isObserved: true)
    _ = machine.finish(
      1, LoadedValue(value: 1, freshness: .seconds(60)), at: .zero, date: date)
    _ = machine.takeChanges(since: machine)
    return machine
  }

  @Test func `the first observer reads the stored value, and the next step loads`() {
    var machine = LiveMachine<Int>(options: .plain)

    #expect(machine.arrive(at: .zero, isObserved: true).starts == .cacheOnly)
    #expect(machine.readStored(1, nil, at: .zero, date: date).starts == .freshOnly)
    #expect(machine.arrive(at: .zero, isObserved: true).starts == nil)
  }

  @Test func `an answer to a load that is no longer under way is ignored`() {
    var machine = loaded()
    _ = machine.invalidate(at: .zero, isObserved: true)
    _ = machine.set(2, at: .zero, date: date)

    #expect(machine.finish(2, LoadedValue(value: 9), at: .zero, date: date).ended == nil)
    #expect(machine.value == 2)
    _ = machine.finish(3, LoadedValue(value: 3), at: .zero, date: date)
    #expect(machine.value == 3)
  }

  @Test func `a value that is set cancels the load under way, and starts it again`() {
    var machine = loaded()
    #expect(!machine.set(2, at: .zero, date: date).cancels)
    _ = machine.reload()

    let effects = machine.set(3, at: .zero, date: date)

    #expect(effects.cancels && effects.starts == .reload)
  }

  @Test func `an equal value changes only the date`() {
    var machine = loaded()
    let before = machine
    _ = machine.reload()
    #expect(machine.takeChanges(since: before) == [.isLoading])
    _ = machine.finish(
      2, LoadedValue(value: 1, freshness: .seconds(60)), at: .seconds(1),
      date: date.addingTimeInterval(1))

    #expect(machine.takeChanges(since: before) == [.updated])
  }

  @Test func `a machine that waits for nothing has no deadline`() {
    let machine = LiveMachine<Int>(options: .plain)

    #expect(machine.deadline(isObserved: true) == nil)
  }

  @Test func `the next deadline is the end of freshness or of the interval, whichever is first`() {
    let machine = loaded(.with { $0.interval = .seconds(30) })

    #expect(machine.deadline(isObserved: true) == .seconds(30))
    #expect(machine.deadline(isObserved: false) == .seconds(60))
  }

  @Test func `a stale response that was used because the server failed is a failure with a value`()
  {
    struct Down: Error {}
    var machine = loaded()
    _ = machine.reload()
    let answer = LoadedValue(value: 2, age: .seconds(5), isFromServer: false, failure: Down())
    let effects = machine.finish(2, answer, at: .zero, date: date)

    #expect(machine.value == 2)
    #expect(machine.error is Down)
    #expect(throws: Down.self) { try effects.ended?.get() }
  }

  @Test func `a reload that joins a load from the cache is followed by one from the server`() {
    var machine = LiveMachine<Int>(options: .plain, readsStored: false)
    #expect(machine.arrive(at: .zero, isObserved: true).starts == .freshOnly)
    #expect(machine.reload().starts == nil)
    let answer = LoadedValue(value: 1, freshness: .seconds(60), isFromServer: false)
    let effects = machine.finish(1, answer, at: .zero, date: date)

    #expect(effects.starts == .reload)
    #expect(effects.ended == nil)
  }

  @Test func `a reload that only the cache may answer ends with its answer`() {
    var machine = loaded()
    #expect(machine.reload().starts == .reload)
    let answer = LoadedValue(value: 1, freshness: .seconds(60), isFromServer: false)
    let effects = machine.finish(2, answer, at: .zero, date: date)

    #expect(effects.starts == nil)
    #expect(effects.ended != nil && !machine.isLoading)
  }

  @Test func `a load that is stopped leaves nothing for the next one to follow`() {
    var machine = loaded()
    _ = machine.reload()
    machine.advance(2, TransferProgress(.download, completed: 1, of: 2))
    _ = machine.invalidate(at: .zero, isObserved: true)
    #expect(machine.leave().cancels)
    #expect(!machine.isLoading && machine.progress == nil)

    #expect(machine.arrive(at: .zero, isObserved: true).starts == .reload)
    let effects = machine.finish(3, LoadedValue(value: 2), at: .zero, date: date)

    #expect(effects.starts == nil && effects.ended != nil)
  }

  @Test func `a write stops the load under way`() {
    var machine = loaded()
    _ = machine.reload()
    let before = machine
    #expect(machine.beginWrite(1) { _ in }.cancels)

    #expect(!machine.isLoading)
    #expect(machine.takeChanges(since: before) == [.isLoading])
    #expect(machine.finish(2, LoadedValue(value: 9), at: .zero, date: date).ended == nil)
    #expect(machine.value == 1)
  }

  @Test func `a value that is set while a load is to be followed starts one load`() {
    var machine = loaded()
    _ = machine.reload()
    _ = machine.invalidate(at: .zero, isObserved: true)
    #expect(machine.set(5, at: .zero, date: date).starts == .reload)
    let effects = machine.finish(3, LoadedValue(value: 2), at: .zero, date: date)

    #expect(effects.starts == nil && effects.ended != nil)
  }

  @Test func `an interval of zero is no interval`() {
    let machine = loaded(.with { $0.interval = .zero })

    #expect(machine.deadline(isObserved: true) == .seconds(60))
  }

  @Test func `progress is shown while a load is under way, and not afterwards`() {
    var machine = loaded()
    _ = machine.reload()
    let progress = TransferProgress(.download, completed: 1, of: 2)
    machine.advance(2, progress)
    #expect(machine.state.progress == progress)
    _ = machine.finish(2, LoadedValue(value: 2), at: .zero, date: date)

    #expect(machine.state.progress == nil)
  }
}

@MainActor
struct KeyTests {
  @Test func `a live resource has its whole request`() {
    let live = LiveResources(ScriptedLoader())
    var request = Request(.post, "/a/b", query: ["c": "d"], headers: ["E": "f"])
    request.body = .text("g")
    request.options.timeout = .seconds(7)
    let url = Request.get(URL(string: "https://example.org/h?i=j")!)

    for request in [request, url] {
      #expect(live.resource(Resource(request) { _ in "" }).request == request)
    }
  }
}

extension LiveMachine {
  fileprivate init(options: LiveOptions, readsStored: Bool = true) {
    self.init(options, readsStored: readsStored, invalidation: nil)
  }
}
