extension Request {
  /// The options with which a request overrides its loader; `nil` leaves an option to the loader.
  public struct Options: Sendable, Hashable {
    /// The time limit of the whole load, waiting, retries and redirects included. By default that
    /// of a `URLSession` is its configuration's `timeoutIntervalForResource`, and that of a
    /// ``Client`` a day.
    public var timeout: Duration?

    /// The time limit of one attempt, its redirects included. By default there is none.
    public var attemptTimeout: Duration?

    /// The longest time in which no byte arrives or is sent. By default 60 seconds for a
    /// ``Client``, and for a `URLSession` its configuration's `timeoutIntervalForRequest`, which it
    /// rounds up to whole seconds.
    public var idleTimeout: Duration?

    /// The lowest speed at which a body has to arrive. By default 1 KiB a minute for a ``Client``.
    /// It isn't checked for streams, whose readers may be slow, nor over a `URLSession` that the
    /// client doesn't own.
    public var minimumThroughput: Throughput?

    /// The statuses that are parsed; others are errors of kind ``LoadError/Kind/status``. By
    /// default 2xx.
    public var acceptedStatuses: AcceptedStatuses?

    /// The most decoded bytes of a body. By default 256 MiB in memory, and any number in a file.
    public var maximumBodySize: Int?

    /// The most bytes of a response's headers: names, values and separators. By default 256 KiB,
    /// which is also the most that ``CurlTransport`` reads, interim responses (1xx) included; a
    /// `URLSession` reads all of them before they are counted. A ``CurlTransport`` also reads at
    /// most 1,000 lines of one head, and a single line of about 100 KB at most, regardless of this
    /// option.
    public var maximumHeaderSize: Int?

    /// The redirects that are followed. By default up to 20.
    public var redirects: RedirectPolicy?

    /// Whether the request may be repeated if its outcome isn't known. By default that depends on
    /// the method: `GET`, `HEAD`, `QUERY`, `PUT`, `DELETE`, `OPTIONS` and `TRACE` may be repeated
    /// (RFC 9110 section 9.2.2 and RFC 10008), and any request with an `Idempotency-Key`.
    public var isIdempotent: Bool?

    /// Whether middleware such as ``BearerAuthentication`` adds its credential to the request. By
    /// default it does; `false` is for a request that needs none, such as a login. A 401 then is an
    /// error, and nothing is renewed.
    public var isAuthenticated: Bool?

    /// How a cache is used. By default ``Request/CachePolicy/standard``.
    public var cachePolicy: CachePolicy?

    /// How urgent the request is. By default ``Request/Priority/standard``.
    public var priority: Priority?

    /// Whether the request may use a cellular network. By default what the `URLSession` allows.
    /// Without effect on Linux.
    public var allowsCellularAccess: Bool?

    /// Whether the request may use a network in Low Data Mode. By default what the `URLSession`
    /// allows. Without effect on Linux.
    public var allowsConstrainedNetworkAccess: Bool?

    /// Whether the request may use a network that the system considers expensive, such as a
    /// personal hotspot. By default what the `URLSession` allows. Without effect on Linux.
    public var allowsExpensiveNetworkAccess: Bool?

    /// Further names whose values are secret, of headers, query items, and members of forms, JSON
    /// and XML, regardless of case and separators. Their values appear in no error, log or cURL
    /// command, and headers among them partition the cache. They are added to those of a
    /// ``Client``.
    public var secretNames: Set<String>?

    /// Further headers that are kept on a redirect to another origin, and defaults of a ``Client``
    /// that other origins get, besides `Accept…`, `Content-…`, `User-Agent`, `Range`, the
    /// conditional ones and those for caches. All other headers are removed, and `Host` always is.
    /// They are added to those of a ``Client``.
    public var crossOriginHeaders: Set<Headers.Name>?

    /// Creates options that leave everything to the loader.
    public init() {}
  }

  /// How urgent a request is, compared with others of the same client or session.
  ///
  /// Among the requests that wait for their turn, because of a ``ConcurrencyLimitMiddleware`` or
  /// the limits of a ``Client``, the urgent ones go first, and equally urgent ones in the order in
  /// which they came. A `URLSession` gets it as the priority of its task, and libcurl as the weight
  /// of the stream in a connection of HTTP/2.
  public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Background work, such as prefetching.
    case low
    /// The default.
    case standard
    /// Work that a user waits for.
    case high

    /// Returns whether one is less urgent than the other.
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// A number of bytes in a duration.
  public struct Throughput: Sendable, Hashable {
    /// The bytes in each duration.
    public var bytes: Int
    /// The duration.
    public var duration: Duration

    /// Creates a throughput. It is measured for each duration separately, from the head of the
    /// response on.
    ///
    /// - Parameters:
    ///   - bytes: The decoded bytes in each duration.
    ///   - duration: The duration, more than zero.
    public init(bytes: Int, per duration: Duration) {
      precondition(duration > .zero, "a throughput needs a span of time")
      self.bytes = bytes
      self.duration = duration
    }

    /// No limit.
    public static let any = Throughput(bytes: 0, per: .seconds(60))
  }

  /// A set of status codes.
  public struct AcceptedStatuses: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var ranges: [Range<Int>]

    /// Accepts the codes of a range.
    ///
    /// - Parameter range: The codes, such as `200..<300`.
    public init(_ range: Range<Int>) { ranges = [range] }

    /// Accepts the listed codes.
    public init(arrayLiteral elements: Status...) {
      ranges = elements.map { $0.rawValue..<$0.rawValue + 1 }
    }

    /// Every 2xx.
    public static let successful = AcceptedStatuses(200..<300)
    /// Every status.
    public static let any = AcceptedStatuses(0..<1000)

    /// Returns whether a status is in the set.
    public func contains(_ status: Status) -> Bool {
      ranges.contains { $0.contains(status.rawValue) }
    }

    /// Returns the union of two sets.
    public func union(_ other: AcceptedStatuses) -> AcceptedStatuses {
      var union = self
      union.ranges += other.ranges
      return union
    }
  }

  /// Which redirects are followed.
  public struct RedirectPolicy: Sendable, Hashable {
    /// The most redirects of one load.
    public var maximum: Int

    /// Whether a redirect to another origin (RFC 6454: scheme, host and port) is an error.
    public var staysAtOrigin = false

    /// Follows up to a number of redirects; one more is an error.
    public static func follow(maximum: Int) -> RedirectPolicy {
      RedirectPolicy(maximum: maximum)
    }

    /// Follows up to 20 redirects within the origin of the request. One to another origin is an
    /// error of kind ``LoadError/Kind/redirect``, and nothing is sent there.
    public static let sameOrigin = RedirectPolicy(maximum: 20, staysAtOrigin: true)

    /// Follows no redirect: a 3xx is a status like any other.
    ///
    /// It isn't called `none`, which in an optional would be `nil`.
    public static let never = RedirectPolicy(maximum: 0)
  }
}

extension Request {
  /// How a cache is used for a request. A client without a cache sends every request, except those
  /// that may only be answered from one, which fail.
  ///
  /// With any policy a response is only used for the URL, the credential and the `Vary` fields for
  /// which it was stored.
  public enum CachePolicy: Sendable, Hashable {
    /// As HTTP specifies: a fresh response is used, a stale one is revalidated (RFC 9111, RFC
    /// 5861).
    case standard
    /// As ``standard``, but stale responses are never used, neither while revalidating nor in place
    /// of an error.
    case freshOnly
    /// Stored responses are revalidated with the server, past every cache on the way (`max-age=0`);
    /// stale ones aren't used. Fresh responses that the server marked `immutable` aren't
    /// revalidated (RFC 8246). For "reload" in a user interface: unchanged responses aren't sent
    /// again.
    case reload
    /// Stored responses aren't used, and no conditions are sent; the new response is stored.
    case networkOnly
    /// A stored response is used, however old; the server is asked only if there is none.
    case cacheFirst
    /// A stored response is used, however old. If there is none, the load fails with a
    /// ``LoadError`` of kind ``LoadError/Kind/notCached``; nothing is ever sent.
    case cacheOnly
    /// A stored response is used, however old, and revalidated in the background unless it is
    /// fresh; the load waits for the server only if there is none.
    case staleWhileRevalidating
  }
}

extension Request.Options {
  /// Returns these options, with defaults for those that are `nil`.
  func completed(by defaults: Request.Options) -> Request.Options {
    var completed = self
    completed.timeout = timeout ?? defaults.timeout
    completed.attemptTimeout = attemptTimeout ?? defaults.attemptTimeout
    completed.idleTimeout = idleTimeout ?? defaults.idleTimeout
    completed.minimumThroughput = minimumThroughput ?? defaults.minimumThroughput
    completed.acceptedStatuses = acceptedStatuses ?? defaults.acceptedStatuses
    completed.maximumBodySize = maximumBodySize ?? defaults.maximumBodySize
    completed.maximumHeaderSize = maximumHeaderSize ?? defaults.maximumHeaderSize
    completed.redirects = redirects ?? defaults.redirects
    completed.isIdempotent = isIdempotent ?? defaults.isIdempotent
    completed.isAuthenticated = isAuthenticated ?? defaults.isAuthenticated
    completed.cachePolicy = cachePolicy ?? defaults.cachePolicy
    completed.priority = priority ?? defaults.priority
    completed.allowsCellularAccess = allowsCellularAccess ?? defaults.allowsCellularAccess
    completed.allowsConstrainedNetworkAccess =
      allowsConstrainedNetworkAccess ?? defaults.allowsConstrainedNetworkAccess
    completed.allowsExpensiveNetworkAccess =
      allowsExpensiveNetworkAccess ?? defaults.allowsExpensiveNetworkAccess
    completed.secretNames = secretNames.union(defaults.secretNames)
    completed.crossOriginHeaders = crossOriginHeaders.union(defaults.crossOriginHeaders)
    return completed
  }
}

extension Optional {
  /// Returns the union of two sets; `nil` if there is neither.
  fileprivate func union<Element>(_ other: Set<Element>?) -> Set<Element>?
  where Wrapped == Set<Element> {
    guard let self, let other else { return self ?? other }
    return self.union(other)
  }
}
