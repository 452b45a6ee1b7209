public import Foundation
public import ResourceLoading

/// Keeps responses and answers from them, as RFC 9111 has it for the cache of one user.
///
/// What is fresh is answered without the network. What isn't is revalidated: the server says by a 304 that it is
/// still good, or sends what is. With `stale-while-revalidate` that happens for next time, in the background;
/// without a network, or by `stale-if-error`, what is stale stands in (RFC 5861). Unsafe requests remove what they
/// have changed. `Response.source` tells where a response came from, and a request's
/// `Request.CachePolicy` how the cache is to be used.
///
/// ```swift
/// let cache = HTTPCache(.memory(), before: .sqlite(file))
/// let client = Client(baseURL: url) {
///   $0.middleware = [CoalescingMiddleware(), cache, RetryMiddleware(), authentication]
/// }
/// ```
///
/// Every credential has a part of the cache to itself: `Authorization`, cookies, and every header that isn't known to be
/// harmless (``CachePartition``). It counts what was really sent, wherever the credential was added. Put the cache in front of what
/// authenticates or behind it: in front, authentication tells which credential it would send
/// (`Middleware.credentialed(_:next:)`), and what one sends that doesn't tell isn't stored. Cookies and credentials
/// that a borrowed `URLSession` adds by itself can't be seen.
///
/// Responses of downloads, of streams and to `Range` pass by, and so do bodies that are too large.
///
/// All members may be used from any thread, and several clients may share a cache.
public final class HTTPCache: Middleware {
  private let storage: GuardedStorage
  private let partitions: Partitions

  /// How large the body of a response may be that is stored, unless it is said otherwise: 8 MiB.
  public static let defaultMaximumBodySize = 8 << 20

  /// Makes a cache.
  ///
  /// - Parameters:
  ///   - storage: Where responses are kept.
  ///   - maximumBodySize: How many decoded bytes the body of a response may have that is stored.
  ///   - owner: Tells whose a request is, for credentials that change while the user stays the same, such as
  ///     tokens that are renewed. `nil`, here or for a request, tells owners apart by their headers. A name stands
  ///     for all of them: it has to tell apart whatever the server goes by.
  ///   - sharedHeaders: Names of headers by which answers aren't chosen and nobody is known, such as the number of a
  ///     version, beside those that ``CachePartition`` lists.
  public init(
    _ storage: some ResponseStorage, maximumBodySize: Int = HTTPCache.defaultMaximumBodySize,
    sharedHeaders: Set<Headers.Name> = [], owner: (@Sendable (Request) -> String?)? = nil
  ) {
    self.storage = GuardedStorage(storage, maximumBodySize: maximumBodySize)
    partitions = Partitions(owner: owner, sharedHeaders: sharedHeaders)
  }

  /// Makes a cache with a quick storage before a lasting one.
  ///
  /// - Parameters:
  ///   - front: What is asked first.
  ///   - back: What has everything.
  ///   - maximumBodySize: How many decoded bytes the body of a response may have that is stored.
  ///   - sharedHeaders: Names of headers that tell nobody apart; see
  ///     ``init(_:maximumBodySize:sharedHeaders:owner:)``.
  ///   - owner: Tells whose a request is; see there.
  public convenience init(
    _ front: some ResponseStorage, before back: some ResponseStorage,
    maximumBodySize: Int = HTTPCache.defaultMaximumBodySize,
    sharedHeaders: Set<Headers.Name> = [], owner: (@Sendable (Request) -> String?)? = nil
  ) {
    self.init(
      TieredResponseStorage(front, before: back), maximumBodySize: maximumBodySize,
      sharedHeaders: sharedHeaders, owner: owner)
  }

  /// `true`.
  public var isTransparent: Bool { true }

  /// Answers from what is stored, or sends the request on and stores the response.
  ///
  /// - Throws: `LoadError` of kind `notCached` if nothing may be sent and nothing stored may be
  ///   used; what comes behind throws; `CancellationError` if the load is over. Never an error of the storage.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard next.keepsBody, [.get, .head].contains(request.method) else {
      let response = try await next(request)
      let urls = Invalidation.urls(after: response, to: request)
      if !urls.isEmpty {
        try await storage.run(next) { [self] in await invalidate(urls, next) }
      }
      return response
    }
    return try await CachedLoad(request, through: next, storage, partitions).respond()
  }

  private func invalidate(_ urls: [URL], _ next: Next) async {
    for url in urls {
      do { try await storage.remove(.url(CacheKey.text(of: url))) } catch {
        if !next.isOver { next.report(.cacheFailed(error)) }
      }
    }
  }
}

extension HTTPCache {
  /// Removes everything, also what is on its way.
  ///
  /// - Throws: What the storage throws. Until the removal can be made up for, nothing that is stored is used.
  public func removeAll() async throws { try await storage.remove(.everything) }

  /// Removes what is stored of a URL, for everybody.
  ///
  /// - Parameter url: An absolute URL.
  /// - Throws: What the storage throws. Until the removal can be made up for, none of it is used.
  public func remove(_ url: URL) async throws {
    try await storage.remove(.url(CacheKey.text(of: url)))
  }

  /// Removes what was answered to any credential, and what is on its way to it: for logging out, where there is
  /// one user at a time. What was answered to nobody in particular stays.
  ///
  /// - Throws: What the storage throws. Until the removal can be made up for, none of it is used.
  public func removeCredentials() async throws { try await storage.remove(.credentials) }

  /// Removes what was answered to one credential, and what is on its way to it: for logging out, where there are
  /// several users.
  ///
  /// - Parameter partition: Whose part of the cache: of the headers that carry the credential, or of the name
  ///   that `owner` gives.
  /// - Throws: What the storage throws. Until the removal can be made up for, none of it is used.
  public func remove(_ partition: CachePartition) async throws {
    try await storage.remove(.partition(partition))
  }
}
