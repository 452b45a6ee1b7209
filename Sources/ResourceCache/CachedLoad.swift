internal import Foundation
internal import ResourceLoading

struct CachedLoad: Sendable {
  let request: Request
  let next: Next
  let storage: FaultTolerantStorage
  let partitions: PartitionRule
  /// The request with the credential that it will have.
  let predicted: Request
  let key: CacheKey
  /// The beginning of the load. If the response is removed later, it isn't stored.
  let mark: LoadMark
  /// The request for which other processes wait; `nil` if there are none.
  var flight: Flight?

  /// - Parameters:
  ///   - content: The content of the request's key.
  ///   - mark: The beginning of the load; `nil` for now.
  init(
    _ request: Request, _ content: String, through next: Next, _ storage: FaultTolerantStorage,
    _ partitions: PartitionRule,
    since mark: LoadMark? = nil
  ) {
    self.mark = mark ?? storage.begin(next.now)
    self.request = request
    self.next = next
    self.storage = storage
    self.partitions = partitions
    predicted = next.predicted(request)
    let url = request.url
    key = CacheKey(
      url: url,
      partition: partitions.partition(of: predicted, next.identity(of: predicted), asking: url),
      content: content)
  }
}

/// Determines the partitions of requests.
struct PartitionRule: Sendable {
  let owner: (@Sendable (Request) -> String?)?
  let sharedHeaders: Set<Headers.Name>

  /// Returns the partition for a request with the headers that were or would be sent, its identity,
  /// and the URL for which the cache was asked.
  func partition(
    of request: Request, _ identity: RequestIdentity, asking url: URL
  ) -> CachePartition {
    owner?(request).map { CachePartition(owner: $0) }
      ?? CachePartition(identity, asking: url, sharing: sharedHeaders)
  }
}

extension CachedLoad {
  private var policy: Request.CachePolicy { request.options.cachePolicy ?? .standard }

  /// Returns a stored response, or sends the request.
  func respond() async throws -> Response {
    // A `HEAD` that uses no stored response still updates one (RFC 9111 section 4.3.5).
    let isUnused = policy == .networkOnly && request.method != .head
    let stored = isUnused ? [] : try await stored()
    let decision = decision(stored)
    if let response = try answer(decision) { return response }
    if request.method == .head { return try await sendHead(for: stored) }
    return try await sendInTurn(decision, stored)
  }

  func decision(_ stored: [StoredResponse]) -> CacheDecision {
    CacheDecision(
      predicted, policy: policy, stored: stored, now: next.date, setBackFrom: mark.setBackFrom)
  }

  /// Returns the stored response that is to be used; `nil` if a request has to be sent.
  func answer(_ decision: CacheDecision) throws -> Response? {
    let now = next.date
    switch decision {
    case .serve(let stored): return try serve(stored, .cache(age: stored.age(at: now)))
    case .serveStale(let stored):
      return try serve(stored, .stale(age: stored.age(at: now), because: .allowed))
    case .serveAndRevalidate(let stored):
      revalidateInBackground(stored)
      return try serve(stored, .stale(age: stored.age(at: now), because: .revalidating))
    case .refuse: return try refuse()
    case .revalidate, .complete, .send: return nil
    }
  }

  /// Answers 504 to `only-if-cached` (RFC 9111 section 5.2.1.7). A cache policy is no part of HTTP,
  /// so a load that has one fails instead.
  private func refuse() throws -> Response {
    guard policy != .cacheOnly else { throw LoadError.notCached }
    return .gatewayTimeout(to: request, because: .notCached)
  }

  /// Sends the request, with conditions if a stored response has to be revalidated, or for the rest
  /// of a stored part.
  func send(_ decision: CacheDecision, _ stored: [StoredResponse]) async throws -> Response {
    switch decision {
    case .revalidate(let stored): try await revalidate(stored)
    case .complete(let stored, let rest): try await complete(stored, with: rest)
    default: try await send(replacing: policy == .networkOnly || !stored.isEmpty)
    }
  }

  /// Whether a response that another process requests now can be used.
  var mayUseOthersRequest: Bool {
    policy != .networkOnly && policy != .reload && request.headers[.range] == nil
      && !CacheControl(request.headers).noCache
  }

  /// Returns the variants of the response that are stored.
  func stored() async throws -> [StoredResponse] {
    if let found = storage.immediateResponses(for: key) { return found }
    return try await storage.responses(for: key, next.report)
  }

  /// Returns a stored response, the bytes of it that the request asks for, or a 304 if the caller
  /// already has it.
  func serve(_ stored: StoredResponse, _ source: Response.Source) throws -> Response {
    var response = stored.answer(to: predicted)
    if request.method != .head { try checkSize(of: response) }
    if request.method == .head { (response.method, response.body) = (.head, Data()) }
    // RFC 9111 section 5.1.
    response.headers[.age] = "\(stored.age(at: next.date).components.seconds)"
    response.source = source
    next.report(.fromCache(source))
    return response
  }

  /// Throws if the body of a response exceeds the limit of the load.
  func checkSize(of response: Response) throws {
    let limit = request.options.maximumBodySize ?? ExchangeLimits.defaultMaximumBodySize
    guard response.body.count <= limit else { throw LoadError(over: limit) }
  }
}

extension CachedLoad {
  /// Returns the partition of the request as it was sent. It is that of ``key`` unless the user has
  /// signed in or out in the meantime. `nil` if it isn't known, or redirects led to requests with
  /// other credentials.
  func partition(of provenance: Provenance) -> CachePartition? {
    guard let identity = provenance.identities.first else { return nil }
    let sent = request(sending: identity.headers)
    guard
      partitions.owner?(sent) != nil
        || !provenance.addsCredentials(sharing: partitions.sharedHeaders)
    else { return nil }
    return partitions.partition(of: sent, identity, asking: request.url)
  }

  func request(sending headers: Headers) -> Request {
    var sent = request
    sent.headers = headers
    return sent
  }

  /// Whether the credential is still the same as at the beginning of the load.
  var isSamePartition: Bool { partition(of: next.predicted(request)) == key.partition }

  /// Returns the partition of the request with the credentials that it would have now.
  func partition(of predicted: Request) -> CachePartition {
    partitions.partition(of: predicted, next.identity(of: predicted), asking: request.url)
  }
}
