public import Foundation
public import ResourceLoading
import ResourcePrimitives

/// Middleware that stores responses and uses them for later requests: a private cache according to
/// RFC 9111.
///
/// A fresh response is used without the network. A stale one is revalidated: the server confirms it
/// with a 304 or sends a new one. With `stale-while-revalidate` this happens in the background.
/// Without a network, or with `stale-if-error`, the stale response is used (RFC 5861). Unsafe
/// requests remove the responses that they invalidate. `Response.source` says where a response came
/// from, and `Request.CachePolicy` controls how a request uses the cache.
///
/// ```swift
/// let cache = HTTPCache(.memory(), before: .sqlite(file))
/// let client = Client(baseURL: url) {
///   $0.middleware = [CoalescingMiddleware(), cache, RetryMiddleware(), authentication]
/// }
/// ```
///
/// Every credential has its own part of the cache: `Authorization`, cookies, and every header that
/// isn't known to be harmless (``CachePartition``). The credential that was actually sent
/// determines the part, wherever it was added. The cache can be before or after authentication in
/// the list. If it comes before, it asks authentication which credential it would send
/// (`Middleware.credentialed(_:next:)`). Responses to credentials from middleware that doesn't
/// implement this are not stored. The cache doesn't see cookies and credentials that the program's
/// own `URLSession` adds.
///
/// Parts of a representation (`Range`) are stored, combined and completed, and a `QUERY` is stored
/// by its content. Responses of downloads and streams are not stored, and neither are bodies that
/// are too large.
///
/// All members can be used from any thread, and several clients can share a cache.
public final class HTTPCache: PredictableMiddleware {
  let storage: FaultTolerantStorage
  private let partitions: PartitionRule

  /// The default maximum size of the body of a stored response: 8 MiB.
  public static let defaultMaximumBodySize = 8 << 20

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - storage: The storage of responses.
  ///   - maximumBodySize: The maximum number of decoded bytes in the body of a stored response.
  ///   - sharedHeaders: The names of headers that neither select a response nor identify a user,
  ///     such as a version number, in addition to those that ``CachePartition`` lists.
  ///   - owner: Returns an identifier of the user, for credentials that change while the user stays
  ///     the same, such as renewed tokens. It replaces all headers that identify a user, so it must
  ///     distinguish everything that the server distinguishes. `nil`, here or for a request,
  ///     distinguishes users by their headers.
  public init(
    _ storage: some ResponseStorage, maximumBodySize: Int = HTTPCache.defaultMaximumBodySize,
    sharedHeaders: Set<Headers.Name> = [], owner: (@Sendable (Request) -> String?)? = nil
  ) {
    self.storage = FaultTolerantStorage(storage, maximumBodySize: maximumBodySize)
    partitions = PartitionRule(owner: owner, sharedHeaders: sharedHeaders)
  }

  /// Creates a cache with a fast storage in front of a persistent one.
  ///
  /// - Parameters:
  ///   - front: The fast storage.
  ///   - back: The persistent storage.
  ///   - maximumBodySize: The maximum number of decoded bytes in the body of a stored response.
  ///   - sharedHeaders: The names of headers that don't identify a user; see
  ///     ``init(_:maximumBodySize:sharedHeaders:owner:)``.
  ///   - owner: Returns an identifier of the user; see there.
  public convenience init(
    _ front: some ResponseStorage, before back: some ResponseStorage,
    maximumBodySize: Int = HTTPCache.defaultMaximumBodySize,
    sharedHeaders: Set<Headers.Name> = [], owner: (@Sendable (Request) -> String?)? = nil
  ) {
    self.init(
      TieredResponseStorage(front, before: back), maximumBodySize: maximumBodySize,
      sharedHeaders: sharedHeaders, owner: owner)
  }

  /// Returns a number that grows when responses of the URL are removed, so that no load joins an
  /// earlier one.
  public func generation(of request: Request) -> Int { storage.generation(of: request.url) }

  /// Returns a stored response, or passes on the request and stores the response.
  ///
  /// A request that accepts the status 504 gets it as a response if `only-if-cached` forbids
  /// sending the request, or if the server can't be reached and the stored response must not be
  /// used stale (RFC 9111 sections 5.2.1.7 and 5.2.2.2).
  ///
  /// - Throws: A `LoadError` of kind `notCached` if no stored response may be used and no request
  ///   may be sent, one of kind `tooLarge` if a stored response exceeds the load's limit, what the
  ///   next middleware throws, and `CancellationError`. Errors of the storage are reported to the
  ///   observer and not thrown.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard next.keepsBody, let content = request.cachedContent else {
      let response = try await next(request)
      await invalidate(after: response, to: request, next)
      return response
    }
    return try await CachedLoad(request, content, through: next, storage, partitions).respond()
  }
}

extension HTTPCache {
  /// Removes what an unsafe request invalidates: responses of its URLs, the groups to which these
  /// belong, and the groups that its response names.
  private func invalidate(after response: Response, to request: Request, _ next: Next) async {
    guard !request.method.isSafe else { return }
    let urls = Invalidation.urls(after: response, to: request)
    var groups = Set(
      Invalidation.responses(endingWith: response, to: request).flatMap {
        $0.head.headers.invalidatedGroups(of: $0.url)
      })
    if !urls.isEmpty {
      let predicted = next.predicted(request)
      let partition = partitions.partition(
        of: predicted, next.identity(of: predicted), asking: request.url)
      for url in urls {
        let key = CacheKey(url: url, partition: partition)
        let stored = try? await storage.responses(for: key, next.report)
        for response in stored ?? [] { groups.formUnion(response.groups) }
        await storage.drop(.url(key.url), next.report)
      }
    }
    if !groups.isEmpty { await storage.drop(.groups(groups), next.report) }
  }

  /// Removes all responses, and keeps running loads from storing theirs.
  ///
  /// - Throws: What the storage throws. In that case the responses aren't used until a removal has
  ///   succeeded.
  public func removeAll() async throws { try await storage.remove(.everything) }

  /// Removes the responses of a URL in all partitions.
  ///
  /// - Parameter url: An absolute URL.
  /// - Throws: What the storage throws. In that case the responses aren't used until a removal has
  ///   succeeded.
  public func remove(_ url: URL) async throws {
    try await storage.remove(.url(url.normalizedText))
  }

  /// Removes the responses to all requests with credentials, and keeps running loads from storing
  /// theirs. Use it to log out of a program with one user at a time. Responses to requests without
  /// credentials are kept.
  ///
  /// - Throws: What the storage throws. In that case the responses aren't used until a removal has
  ///   succeeded.
  public func removeCredentials() async throws { try await storage.remove(.credentials) }

  /// Removes the responses to requests with one credential, and keeps running loads from storing
  /// theirs. Use it to log out of a program with several users.
  ///
  /// - Parameter partition: The partition of the headers that contain the credential, or of the
  ///   identifier that `owner` returns.
  /// - Throws: What the storage throws. In that case the responses aren't used until a removal has
  ///   succeeded.
  public func remove(_ partition: CachePartition) async throws {
    try await storage.remove(.partition(partition))
  }
}
