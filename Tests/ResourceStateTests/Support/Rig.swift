import Foundation
import Observation
import ResourceLoading
import ResourcePrimitives
import ResourceTesting

@testable import ResourceState

/// Live resources with a clock and a loader that the test controls.
@MainActor
final class Rig {
  let clock = ManualClock()
  let loader = ScriptedLoader()
  let live: LiveResources

  init(_ options: LiveOptions = .plain) {
    live = LiveResources(loader, options: options, clock: clock)
  }

  /// Returns when all work is done except what waits for the test.
  func settle() async {
    var quiet = 0
    while quiet < 2 {
      let isQuiet =
        live.turns.count == 0 && live.turns.loadCount == loader.waitingCount
        && !live.members.contains { $0.deadline.map { $0.time <= live.clock.now() } ?? false }
      quiet = isQuiet ? quiet + 1 : 0
      await Task.yield()
    }
  }

  /// Moves the clock, and waits until everything that is due has happened.
  func pass(_ duration: Duration) async {
    await settle()
    clock.advance(by: duration)
    await settle()
  }

  /// Answers the next load of a path.
  func answer(_ path: String, _ text: String, maxAge: Int? = 60, headers: Headers = [:]) async {
    await answer(path, .success(.text(text, path, maxAge: maxAge, headers: headers)))
  }

  /// Fails the next load of a path.
  func fail(_ path: String, _ reason: String = "down") async {
    await answer(path, .failure(LoadError(.connection, reason)))
  }

  func answer(_ path: String, _ result: Result<Response, any Error>) async {
    while !loader.answer(path, result) { await Task.yield() }
    await settle()
  }

  /// Begins a write, and returns when it waits for its answer.
  func write(
    _ path: String = "/write", _ expected: (inout LiveChanges) -> Void = { _ in },
    then confirmed: @escaping @MainActor (inout LiveChanges, String) -> Void = { _, _ in }
  ) async -> Task<String, any Error> {
    var changes = LiveChanges()
    expected(&changes)
    let collected = changes
    let task = Task { [live] in
      try await live.send(.text(posting: path), { $0 = collected }, then: confirmed)
    }
    while !loader.waiting.contains(path) { await Task.yield() }
    await settle()
    return task
  }

  func loaded(
    _ resource: Resource<String>, _ text: String, maxAge: Int? = 60, options: LiveOptions? = nil
  ) async -> LiveResource<String> {
    let live = live.resource(resource, options: options)
    _ = live.value
    await answer(resource.request.path, text, maxAge: maxAge)
    return live
  }

  func loads(_ path: String) -> Int { loader.loads(path) }
}

extension LiveOptions {
  /// Without a pause after loads.
  static var plain: LiveOptions { .with { _ in } }

  static func with(_ change: (inout LiveOptions) -> Void) -> LiveOptions {
    var options = LiveOptions()
    options.deduplication = .zero
    change(&options)
    return options
  }
}

extension Resource where R == String {
  static func text(at path: RequestPath) -> Self {
    Resource(.get(path)) { String(decoding: $0.body, as: UTF8.self) }
  }

  static func text(posting path: String) -> Self {
    Resource(.post(RequestPath(path))) { String(decoding: $0.body, as: UTF8.self) }
  }

  static var a: Self { .text(at: "/a") }
  static var b: Self { .text(at: "/b") }
}

@MainActor
final class ChangeCounter {
  private(set) var count = 0
  private let read: @MainActor () -> Void

  init(_ read: @escaping @MainActor () -> Void) {
    self.read = read
    track()
  }

  private func track() {
    withObservationTracking(read) {
      Task { @MainActor [weak self] in
        self?.count += 1
        self?.track()
      }
    }
  }
}

@MainActor
final class Received<R: Sendable> {
  private(set) var states: [LiveState<R>] = []
  var values: [R?] { states.map(\.value) }

  func callAsFunction(_ state: LiveState<R>) { states.append(state) }
}
