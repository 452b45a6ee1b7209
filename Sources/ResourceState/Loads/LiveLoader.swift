import Foundation
import ResourceCache
import ResourceLoading
import Synchronization

/// Loads values with what is known of their freshness.
struct LiveLoader: Sendable {
  let loader: any Loader
  let clock: LoadClock

  /// Loads a resource.
  ///
  /// - Throws: What the loader throws.
  func load<R>(_ resource: Resource<R>, _ mode: LoadMode) async throws -> LoadedValue<R> {
    let known = Known()
    let (parser, clock) = (resource.parser, clock)
    let isComparable = R.self is any Equatable.Type
    var used = resource
    if let policy = mode.policy(for: resource.request) {
      used.request = used.request.cachePolicy(policy)
    }
    used.parser = { response in
      let value = try parser(response)
      known.keep(ResponseFacts(response, now: clock.date(), hashes: !isComparable))
      return value
    }
    let value = try await loader.load(used)
    guard let facts = known.facts else { return LoadedValue(value: value) }
    return LoadedValue(
      value: value, freshness: facts.freshness, age: facts.age, isFromServer: facts.isFromServer,
      failure: facts.failure, fingerprint: facts.fingerprint)
  }
}

extension LoadMode {
  /// The cache policy of a load; `nil` for that of the request.
  fileprivate func policy(for request: Request) -> Request.CachePolicy? {
    guard request.permitsStored else { return nil }
    return switch self {
    case .stored: .cacheOnly
    case .fresh: .freshOnly
    case .server: .reload
    }
  }
}

extension Request {
  /// Whether its policy leaves open how the cache is used.
  var permitsStored: Bool {
    [nil, .standard, .staleWhileRevalidating].contains(options.cachePolicy)
  }
}

/// The facts that a response states about its value.
private struct ResponseFacts: Sendable {
  var freshness: Duration
  var age: Duration
  var isFromServer = false
  var failure: LoadError?
  var fingerprint: [UInt8]?

  init(_ response: Response, now: Date, hashes: Bool) {
    let stored = StoredResponse(
      response, selectingHeaders: [:], requestDate: now, responseDate: now)
    let control = CacheControl(response.headers)
    age = stored.age(at: now)
    switch response.source {
    case .cache(let age): self.age = age
    case .stale(let age, .failed(let error)): (self.age, failure) = (age, error)
    case .stale(let age, _): self.age = age
    default: isFromServer = true
    }
    let isUsable = !control.noCache && !control.noStore
    freshness = isUsable ? stored.freshnessLifetime - age : .zero
    if isFromServer { age = .zero }
    if hashes { fingerprint = SecureHash.sha256(response.body) }
  }
}

/// The facts of the response that the parser saw; `nil` if a stub gave the value itself.
private final class Known: Sendable {
  private let kept = Mutex<ResponseFacts?>(nil)

  var facts: ResponseFacts? { kept.withLock(\.self) }

  func keep(_ facts: ResponseFacts) { kept.withLock { $0 = facts } }
}

/// Passes the progress of a load on to the main actor, at most once for each of its turns.
final class ProgressRelay: Sendable {
  private let latest = Mutex<TransferProgress?>(nil)
  private let turns: LiveTurns
  private let tell: @MainActor @Sendable (TransferProgress) -> Void

  init(_ turns: LiveTurns, _ tell: @escaping @MainActor @Sendable (TransferProgress) -> Void) {
    self.turns = turns
    self.tell = tell
  }

  func callAsFunction(_ progress: TransferProgress) {
    let isFirst = latest.withLock { latest in
      defer { latest = progress }
      return latest == nil
    }
    guard isFirst else { return }
    turns.schedule { [self] in
      let progress = latest.withLock { $0.take() }
      if let progress { tell(progress) }
    }
  }
}
