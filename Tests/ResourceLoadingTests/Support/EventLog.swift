import PromiseModule
import ResourceLoading
import Synchronization

/// Records the events of a client. A test can wait for them.
final class EventLog: Sendable {
  private let state = Mutex(State())

  private struct State {
    var names: [UInt64: [String]] = [:]
    var counts: [String: Int] = [:]
    var waits: [(name: String, count: Int, resolver: Promise<Void>.Resolver)] = []
  }

  func note(_ event: LoadEvent) {
    let name = Self.name(of: event.kind)
    let reached = state.withLock { state in
      state.names[event.load, default: []].append(name)
      state.counts[name, default: 0] += 1
      let counts = state.counts
      let reached = state.waits.filter { counts[$0.name, default: 0] >= $0.count }
      state.waits.removeAll { counts[$0.name, default: 0] >= $0.count }
      return reached
    }
    for wait in reached { wait.resolver.fulfill() }
  }

  func names(of load: UInt64) -> [String] {
    state.withLock { $0.names[load] ?? [] }
  }

  func count(of name: String) -> Int {
    state.withLock { $0.counts[name] ?? 0 }
  }

  /// Waits until there are at least `count` events with a name.
  func wait(for count: Int, _ name: String) async throws {
    let (promise, resolver) = Promise<Void>.pending()
    let isReached = state.withLock { state in
      let isReached = state.counts[name, default: 0] >= count
      if !isReached { state.waits.append((name, count, resolver)) }
      return isReached
    }
    if isReached { resolver.fulfill() }
    try await promise.get()
  }

  static func name(of kind: LoadEvent.Kind) -> String {
    switch kind {
    case .started: "started"
    case .queued: "queued"
    case .sent: "sent"
    case .received: "received"
    case .measured: "measured"
    case .completed: "completed"
    case .retrying: "retrying"
    case .hedged: "hedged"
    case .circuit(let state, _): "circuit \(state.rawValue)"
    case .coalesced: "coalesced"
    case .refreshingCredential: "refreshingCredential"
    case .fromCache: "fromCache"
    case .cacheFailed: "cacheFailed"
    case .parsed: "parsed"
    case .failed: "failed"
    @unknown default: "other"
    }
  }
}
