extension Request {
  /// What a request wants otherwise than its loader; `nil` leaves a thing to the loader.
  public struct Options: Sendable, Hashable {
    /// How long the whole load may take: waiting its turn, retries and redirects included. Without one `URLSession`
    /// takes its configuration's `timeoutIntervalForResource`, and a ``Client`` a day, after which it sends and
    /// receives no more.
    public var timeout: Duration?

    /// How long one attempt may take, its redirects included. Without one there is no such limit.
    public var attemptTimeout: Duration?

    /// How long nothing may arrive. Without one a ``Client`` takes 60 seconds, and `URLSession` its
    /// configuration's `timeoutIntervalForRequest`, which it rounds up to whole seconds.
    public var idleTimeout: Duration?

    /// How fast a body has to arrive at least. Without one a ``Client`` takes 1 KiB a minute; it doesn't count for
    /// streams, whose readers may be slow, nor over a `URLSession` that belongs to somebody else.
    public var minimumThroughput: Throughput?

    /// The statuses that are parsed; others are errors of kind ``LoadError/Kind/status``. Without one: 2xx.
    public var acceptedStatuses: AcceptedStatuses?

    /// How many decoded bytes a body may have. Without one: 256 MiB in memory, any number in a file.
    public var maximumBodySize: Int?

    /// How many bytes the headers of a response may have, their names, values and separators. Without one:
    /// 256 KiB, which is also the most that ``CurlTransport`` reads, interim responses (1xx) included; a
    /// `URLSession` reads them whole before they are counted.
    public var maximumHeaderSize: Int?

    /// Which redirects are followed. Without one: up to 20.
    public var redirects: RedirectPolicy?

    /// Whether the request may be sent again if it isn't known what became of it. Without one that depends
    /// on the method: `GET`, `HEAD`, `PUT`, `DELETE` and `OPTIONS` may (RFC 9110 section 9.2.2), and what
    /// carries an `Idempotency-Key` may.
    public var isIdempotent: Bool?

    /// How a cache is used. Without one: ``Request/CachePolicy/standard``.
    public var cachePolicy: CachePolicy?

    /// Names whose values are secret, beside those that look it: of headers, query items,
    /// and members of forms, JSON and XML. Case and separators don't count. Their values stand in no error, log
    /// or cURL line, and headers among them have a part of the cache to themselves. Those of a ``Client`` count
    /// as well.
    public var secretNames: Set<String>?

    /// Headers that go along when a request leaves its origin by a redirect, and defaults of a ``Client`` that
    /// other origins get as well; beside `Accept…`, `Content-…`, `User-Agent`, `Range`, the conditional ones and
    /// those for caches. All other headers are left behind, and `Host` always is. Those of a ``Client`` count
    /// as well.
    public var crossOriginHeaders: Set<Headers.Name>?

    /// Leaves everything to the loader.
    public init() {}
  }

  /// A number of bytes in a span of time.
  public struct Throughput: Sendable, Hashable {
    /// How many bytes there have to be in each span.
    public var bytes: Int
    /// How long a span is.
    public var duration: Duration

    /// Makes a throughput. It is measured over each span by itself, from the head of the response on.
    ///
    /// - Parameters:
    ///   - bytes: How many bytes there have to be, after decoding.
    ///   - duration: In which time, more than nothing.
    public init(bytes: Int, per duration: Duration) {
      precondition(duration > .zero, "a throughput needs a span of time")
      self.bytes = bytes
      self.duration = duration
    }

    /// However slow.
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
    /// Every status there is.
    public static let any = AcceptedStatuses(0..<1000)

    /// Whether a status is in the set.
    public func contains(_ status: Status) -> Bool {
      ranges.contains { $0.contains(status.rawValue) }
    }

    /// What both sets accept together.
    public func union(_ other: AcceptedStatuses) -> AcceptedStatuses {
      var union = self
      union.ranges += other.ranges
      return union
    }
  }

  /// Which redirects are followed.
  public struct RedirectPolicy: Sendable, Hashable {
    /// How many redirects one load follows at most.
    public var limit: Int

    /// Whether a redirect to another origin (RFC 6454: scheme, host and port) is an error.
    public var staysAtOrigin = false

    /// Follows up to a number of redirects; one more is an error.
    public static func follow(limit: Int) -> RedirectPolicy { RedirectPolicy(limit: limit) }

    /// Follows up to 20 redirects within the origin that was asked; one to another origin is an error of kind
    /// ``LoadError/Kind/redirect``, and nothing is sent there.
    public static let sameOrigin = RedirectPolicy(limit: 20, staysAtOrigin: true)

    /// Follows none: a 3xx is a status like any other.
    ///
    /// Not `none`: in an option, which may be `nil`, that would be `nil`.
    public static let never = RedirectPolicy(limit: 0)
  }
}

extension Request {
  /// How a cache is used for a request. A client without a cache sends every request, but for those that may
  /// only be answered from one: they fail.
  ///
  /// Whatever the policy, a response is used only for the URL, the credential and the `Vary` fields that it
  /// was stored for.
  public enum CachePolicy: Sendable, Hashable {
    /// As HTTP has it: what is fresh is used, what isn't is revalidated (RFC 9111, RFC 5861).
    case standard
    /// As ``standard``, but nothing stale is ever used, neither while revalidating nor in place of an error.
    case freshOnly
    /// The server is asked, and so is every cache on the way (`max-age=0`), whether what is stored is still good;
    /// nothing stale is used. What the server calls `immutable` isn't asked about while it is fresh (RFC 8246). For
    /// "reload" in a user interface: what hasn't changed isn't sent again.
    case reload
    /// What is stored isn't used, and no conditions are sent; the response is stored.
    case networkOnly
    /// Whatever is stored is used, however old; the server is asked only if there is nothing.
    case cacheFirst
    /// Whatever is stored is used, however old. If there is nothing, the load fails with a ``LoadError`` of
    /// kind ``LoadError/Kind/notCached``; nothing is ever sent.
    case cacheOnly
    /// Whatever is stored is used, however old, and revalidated for next time unless it is fresh; the server is
    /// waited for only if there is nothing.
    case staleWhileRevalidating
  }
}

extension LoadError {
  /// The error where nothing may be sent, and nothing is stored that could be used.
  package static var notCached: LoadError {
    LoadError(
      .notCached, "nothing that could be used is in the cache, and nothing may be sent",
      advice: "Allow the network by another cachePolicy, or without only-if-cached")
  }
}

extension Request.Options {
  /// These options, and the defaults for what they leave open.
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
    completed.cachePolicy = cachePolicy ?? defaults.cachePolicy
    completed.secretNames = secretNames.union(defaults.secretNames)
    completed.crossOriginHeaders = crossOriginHeaders.union(defaults.crossOriginHeaders)
    return completed
  }
}

extension Optional {
  /// What both sets have together; `nil` if there is neither.
  fileprivate func union<Element>(_ other: Set<Element>?) -> Set<Element>?
  where Wrapped == Set<Element> {
    guard let self, let other else { return self ?? other }
    return self.union(other)
  }
}
