internal import Foundation
internal import ResourceLoading

/// One load on its way through a cache.
struct CachedLoad: Sendable {
  let request: Request
  let next: Next
  let storage: GuardedStorage
  let partitions: Partitions
  /// The request with the credential that it is going to have.
  let predicted: Request
  let key: CacheKey
  /// What was removed after it isn't stored.
  let mark: LoadMark

  /// - Parameter mark: When the load began; `nil` for now.
  init(
    _ request: Request, through next: Next, _ storage: GuardedStorage, _ partitions: Partitions,
    since mark: LoadMark? = nil
  ) {
    self.mark = mark ?? storage.begin(next.now)
    self.request = request
    self.next = next
    self.storage = storage
    self.partitions = partitions
    predicted = next.predicted(request)
    key = CacheKey(url: request.url, partition: partitions.partition(of: predicted))
  }
}

/// Whose part of a cache a request belongs to.
struct Partitions: Sendable {
  let owner: (@Sendable (Request) -> String?)?
  let sharedHeaders: Set<Headers.Name>

  func partition(of request: Request) -> CachePartition {
    owner?(request).map { CachePartition(owner: $0) }
      ?? CachePartition(request.headers, sharing: sharedHeaders)
  }
}

extension CachedLoad {
  /// The response, from wherever it comes.
  func respond() async throws -> Response {
    let policy = request.options.cachePolicy ?? .standard
    // What is stored isn't used, but a `HEAD` says something of it (RFC 9111 section 4.3.5).
    let isUnused = policy == .networkOnly && request.method != .head
    let stored = isUnused ? [] : try await stored()
    let now = next.date
    let decision = CacheDecision(
      predicted, policy: policy, stored: stored, now: now, setBackFrom: mark.setBackFrom)
    switch decision {
    case .serve(let stored): return try serve(stored, .cache(age: stored.age(at: now)))
    case .serveStale(let stored):
      return try serve(stored, .stale(age: stored.age(at: now), because: .allowed))
    case .serveAndRevalidate(let stored):
      revalidateInBackground(stored)
      return try serve(stored, .stale(age: stored.age(at: now), because: .revalidating))
    case .refuse: throw LoadError.notCached
    case .revalidate, .send: break
    }
    return try await storage.run(next) {
      if request.method == .head { return try await sendHead(about: stored) }
      if case .revalidate(let stored) = decision { return try await revalidate(stored) }
      return try await send(replacing: policy == .networkOnly || !stored.isEmpty)
    }
  }

  private func stored() async throws -> [StoredResponse] {
    if let found = storage.immediateResponses(for: key) { return found }
    return try await storage.run(next) { try await storage.responses(for: key, next.report) }
  }

  /// What is stored as the answer to this load, or that the caller has it already.
  ///
  /// - Throws: `LoadError` of kind `tooLarge` if the load doesn't take that much.
  func serve(_ stored: StoredResponse, _ source: Response.Source) throws -> Response {
    var response = stored.isKnown(to: predicted) ? stored.notModified : stored.response
    let limit = request.options.maximumBodySize ?? ExchangeLimits.defaultMaximumBodySize
    guard response.body.count <= limit || request.method == .head else {
      throw LoadError(over: limit)
    }
    if request.method == .head { (response.method, response.body) = (.head, Data()) }
    // RFC 9111 section 5.1.
    response.headers[.age] = "\(stored.age(at: next.date).components.seconds)"
    response.source = source
    next.report(.fromCache(source))
    return response
  }
}

extension CachedLoad {
  /// Whose answer a request with these headers gets; the same as ``key`` tells, unless somebody has signed in or
  /// out since.
  func partition(sending headers: Headers) -> CachePartition {
    var sent = request
    sent.headers = headers
    return partitions.partition(of: sent)
  }

  /// Whether the credential is still the one that the load began with.
  var isSameOwner: Bool {
    partitions.partition(of: next.predicted(request)) == key.partition
  }
}
