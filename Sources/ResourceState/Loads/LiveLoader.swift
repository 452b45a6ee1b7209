import Foundation
import ResourceCache
import ResourceLoading
import ResourcePrimitives
import Synchronization

struct LiveLoader: Sendable {
  let loader: any Loader
  let clock: LoadClock

  /// Loads a resource. `policy` applies unless the request has its own.
  func load<R>(
    _ resource: Resource<R>, _ policy: Request.CachePolicy
  ) async throws -> LoadedValue<R> {
    let parsed = ParsedValue<R>()
    var used = resource
    if used.request.permitsStored { used.request.options.cachePolicy = policy }
    used.parser = { [parser = resource.parser, clock] response in
      let value = try parser(response)
      parsed.keep(LoadedValue(value, from: response, at: clock.date()))
      return value
    }
    let value = try await loader.load(used)
    var loaded = parsed.value ?? LoadedValue(value: value)
    loaded.value = value
    return loaded
  }
}

extension Request {
  /// Whether the request lets the loader decide how to use the cache.
  var permitsStored: Bool {
    [nil, .standard, .staleWhileRevalidating].contains(options.cachePolicy)
  }
}

extension LoadedValue {
  /// Creates a value with the freshness that its response states.
  fileprivate init(_ value: R, from response: Response, at now: Date) {
    self.init(value: value)
    let stored = StoredResponse(
      response, selectingHeaders: [:], requestDate: now, responseDate: now)
    let control = CacheControl(response.headers)
    var age = stored.age(at: now)
    switch response.source {
    case .cache(let stated): (age, isFromServer) = (stated, false)
    case .stale(let stated, let reason):
      (age, isFromServer) = (stated, false)
      if case .failed(let error) = reason { failure = error }
    default: break
    }
    let isUsable = !control.noCache && !control.noStore
    age = age.countable
    freshness = isUsable ? stored.freshnessLifetime.countable - age : .zero
    if !isFromServer { self.age = age }
    if !(R.self is any Equatable.Type) { fingerprint = SecureHash.sha256(response.body) }
  }
}

/// The value that the parser returned; `nil` if a stub returned a value without parsing.
private final class ParsedValue<R: Sendable>: Sendable {
  private let kept = Mutex<LoadedValue<R>?>(nil)

  var value: LoadedValue<R>? { kept.withLock(\.self) }

  func keep(_ value: LoadedValue<R>) { kept.withLock { $0 = value } }
}

/// Delivers the progress of a load on the main actor, at most once in each turn.
final class ProgressRelay: Sendable {
  private let latest = Mutex<TransferProgress?>(nil)
  private let turns: LiveTurns
  private let deliver: @MainActor @Sendable (TransferProgress) -> Void

  init(_ turns: LiveTurns, _ deliver: @escaping @MainActor @Sendable (TransferProgress) -> Void) {
    self.turns = turns
    self.deliver = deliver
  }

  func callAsFunction(_ progress: TransferProgress) {
    let isFirst = latest.withLock { latest in
      defer { latest = progress }
      return latest == nil
    }
    guard isFirst else { return }
    turns.schedule { [self] in
      let progress = latest.withLock { $0.take() }
      if let progress { deliver(progress) }
    }
  }
}
