public import Foundation
public import PromiseModule
import ResourcePrimitives

extension Client {
  /// The settings of a client. A request's own values take precedence over them.
  public struct Configuration: Sendable {
    /// The URL to which paths are appended, always below its own path; `nil` if all requests have
    /// absolute URLs.
    public var baseURL: URL?

    /// Headers for all requests of the base URL's origin that don't have them. A request of another
    /// origin gets only those that may leave it: see ``Request/Options/crossOriginHeaders``.
    public var headers: Headers = [:]

    /// Query items for all requests of the base URL's origin that don't have them.
    public var query: QueryItems = [:]

    /// Named values for all requests of the base URL's origin that don't have them: in the form if
    /// its body is one, and in the query otherwise. They are for keys that a service reads from
    /// either.
    public var parameters: QueryItems = [:]

    /// Time limits, the size limit, accepted statuses and other options for requests that don't set
    /// them. By default a load may be idle for 60 seconds, and a body has to arrive at no less than
    /// 1 KiB a minute.
    public var options: Request.Options = {
      var options = Request.Options()
      options.idleTimeout = .seconds(60)
      options.minimumThroughput = Request.Throughput(bytes: 1 << 10, per: .seconds(60))
      return options
    }()

    /// The decoder of JSON for resources without one of their own. It is used on several threads at
    /// once: don't change it afterwards.
    public var decoder = JSONDecoder()

    /// The type in which the service describes its errors: how the body of a response is read whose
    /// status isn't accepted, for resources without an ``ErrorBody`` of their own. See
    /// ``LoadError/errorBody(as:)``.
    public var errorBody: ErrorBody?

    /// The encoder of JSON for bodies without one of their own. It is used on several threads at
    /// once: don't change it afterwards.
    public var encoder = JSONEncoder()

    /// The middleware between the client and its transport, from the outside in.
    public var middleware: [any Middleware] = []

    /// The tracer of loads and their exchanges; `nil` for none.
    public var tracer: (any LoadTracer)?

    /// The transport that sends requests; `nil` for connections of the client's own.
    public var transport: (any Transport)?

    /// The certificates that the client's own connections trust and present over TLS. A
    /// ``transport`` has settings of its own. See ``check()``.
    public var tls = TLSOptions()

    /// The proxy for the client's own connections; `nil` for none with libcurl, and for the
    /// system's with `URLSession`. A ``transport`` has settings of its own. See ``check()``.
    public var proxy: ProxyServer?

    /// The most requests to one host (and port) at once; `nil` for any number. Further ones wait,
    /// during which only the total time limit counts.
    public var maximumRequestsPerHost: Int? = 16

    /// The most requests at once; `nil` for any number.
    public var maximumRequests: Int? = 64

    /// The most bytes of all bodies in memory together, those being parsed included: 512 MiB by
    /// default, `nil` for any number. A load whose body would exceed it fails with a ``LoadError``
    /// of kind ``LoadError/Kind/tooLarge``. The first 64 KiB of each body don't count, and neither
    /// do bodies that are written to files.
    public var maximumMemory: Int? = 512 << 20

    /// The cookies that are stored and sent; `nil` for none.
    public var cookies: CookieJar?

    /// The hosts that are contacted by https only; `nil` to contact hosts by http if requests ask
    /// for it.
    public var strictTransportSecurity: StrictTransportSecurity?

    /// Signs each request. It makes the last change to a request: after the middleware, for each
    /// attempt and each redirect. The result is checked like any other request.
    ///
    /// It is called for requests of the base URL's origin only, without one for the origin at which
    /// a load began, and only until a redirect leaves it, unless ``signsOtherOrigins`` is set.
    /// Responses to what it changes are neither stored in a cache nor shared, because the change
    /// can't be known before.
    public var sign: Signature?

    /// Whether ``sign`` is called for requests of other origins as well, such as those that a
    /// redirect leads to.
    public var signsOtherOrigins = false

    /// Signs a request. `hop` has the number of redirects before it, and the URL at which the load
    /// began.
    public typealias Signature =
      @Sendable (_ request: inout WireRequest.Draft, _ hop: WireRequest.Hop) async throws -> Void

    /// The executor of callbacks that name none: in the background by default, never the main queue
    /// unless this is set to it.
    public var callbackExecutor: any PromiseExecutor = .default

    /// The clock of deadlines and of the pauses between retries. A test sets one that it moves
    /// itself.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Called for each event of each load, on whatever thread it happens. It must return soon.
    public var observer: (@Sendable (LoadEvent) -> Void)?

    /// Creates a configuration without defaults and middleware.
    ///
    /// - Parameter baseURL: The URL to which paths are appended; `nil` if all requests have
    ///   absolute URLs.
    public init(baseURL: URL? = nil) { self.baseURL = baseURL }

    /// Creates a configuration with a base URL that is a literal.
    ///
    /// - Parameter baseURL: The URL to which paths are appended. It is a programmer's error if it
    ///   isn't a URL; loads fail if it isn't an absolute one.
    public init(baseURL: StaticString) {
      guard let url = URL(string: baseURL.description) else {
        preconditionFailure("\"\(baseURL)\" isn't a URL")
      }
      self.baseURL = url
    }
  }
}

extension Pipeline {
  convenience init(_ configuration: Client.Configuration, over transport: any Transport) {
    self.init(
      ExchangeRunner(
        transport: transport, encoder: configuration.encoder, decoder: configuration.decoder,
        errorBody: configuration.errorBody, cookies: configuration.cookies,
        strictTransportSecurity: configuration.strictTransportSecurity, sign: configuration.sign,
        signsOtherOrigins: configuration.signsOtherOrigins, baseURL: configuration.baseURL,
        memory: configuration.maximumMemory.map(MemoryBudget.init),
        observer: configuration.tracer),
      defaults: RequestDefaults(
        baseURL: configuration.baseURL, headers: configuration.headers,
        query: configuration.query, parameters: configuration.parameters,
        options: configuration.options, encoder: configuration.encoder),
      middleware: (configuration.tracer.map { [TracerStage(tracer: $0)] } ?? [])
        + configuration.middleware + configuration.limits,
      clock: LoadClock(configuration.clock),
      background: configuration.middleware.isEmpty ? nil : BackgroundWork())
  }
}

extension Client.Configuration {
  /// The innermost middleware, so that a load that waits for anything else doesn't count.
  fileprivate var limits: [any Middleware] {
    guard maximumRequestsPerHost != nil || maximumRequests != nil else { return [] }
    return [
      ConcurrencyLimitMiddleware(
        maximumRequestsPerHost: maximumRequestsPerHost, maximumRequests: maximumRequests)
    ]
  }
}
