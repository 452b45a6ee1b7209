public import Foundation
public import PromiseModule

extension Client {
  /// What a client does for each request; a request's own values go before these.
  public struct Configuration: Sendable {
    /// What paths are appended to, always below its own path; `nil` if all requests have absolute URLs.
    public var baseURL: URL?

    /// Headers for every request of the base URL's origin that doesn't have them. A request of another origin
    /// gets only those that may leave it: see ``Request/Options/crossOriginHeaders``.
    public var headers: Headers = [:]

    /// Query items for every request of the base URL's origin that doesn't have them.
    public var query: QueryItems = [:]

    /// Named values for every request of the base URL's origin that doesn't have them: in the form if its body is one,
    /// and in the query otherwise. For keys that a service takes from either.
    public var parameters: QueryItems = [:]

    /// Time limits, size limit, accepted statuses and the like for requests that leave them open. To begin with 60
    /// seconds without a byte, and a body that brings at least 1 KiB a minute.
    public var options: Request.Options = {
      var options = Request.Options()
      options.idleTimeout = .seconds(60)
      options.minimumThroughput = Request.Throughput(bytes: 1 << 10, per: .seconds(60))
      return options
    }()

    /// What decodes JSON for resources that don't name a decoder. It is used on several threads at once:
    /// don't change it afterwards.
    public var decoder = JSONDecoder()

    /// How the bodies of responses are read whose status isn't accepted, for resources that don't say it: the type in
    /// which the service describes its errors. See ``LoadError/errorBody``.
    public var errorBody: ErrorBody?

    /// What encodes JSON for bodies that don't name an encoder. It is used on several threads at once:
    /// don't change it afterwards.
    public var encoder = JSONEncoder()

    /// The stages between the client and its transport, from the outside in.
    public var middleware: [any Middleware] = []

    /// What puts requests on the wire; `nil` for connections of the client's own.
    public var transport: (any Transport)?

    /// Whom the client's own connections trust over TLS, and what they show. With a ``transport``, that has its own
    /// settings. See ``check()``.
    public var tls = TLSOptions()

    /// The proxy for the client's own connections; `nil` for none with libcurl, and for the system's with
    /// `URLSession`. With a ``transport``, that has its own settings. See ``check()``.
    public var proxy: ProxyServer?

    /// How many requests to one host (and port) are under way at most; further ones wait for their turn, in
    /// which no time limit but the total one counts. `nil` for any number.
    public var maximumRequestsPerHost: Int? = 16

    /// How many requests are under way at most; `nil` for any number.
    public var maximumRequests: Int? = 64

    /// How many bytes the bodies of all loads under way may have in memory together, those being parsed included;
    /// 512 MiB to begin with, `nil` for any number. A load whose body doesn't fit any more fails with a ``LoadError``
    /// of kind ``LoadError/Kind/tooLarge``. The first 64 KiB of each body don't count, nor does what goes into files.
    public var maximumMemory: Int? = 512 << 20

    /// Keeps and sends cookies; `nil` for none.
    public var cookies: CookieJar?

    /// Knows the hosts that are asked by https only; `nil` to send by http whatever is asked for so.
    public var strictTransportSecurity: StrictTransportSecurity?

    /// Changes each request last of all: after the middleware, for each attempt and each redirect, with
    /// nothing left to be decided. For signatures. What comes of it is checked like any other request.
    ///
    /// Called for requests of the base URL's origin only (without one: of the origin at which a load began),
    /// unless ``signsOtherOrigins`` is set.
    public var sign: Signature?

    /// Whether ``sign`` is asked for requests of other origins as well, such as those that a redirect leads to.
    public var signsOtherOrigins = false

    /// Signs a request; `hop` says how many redirects led to it, and where the load began.
    public typealias Signature =
      @Sendable (_ request: inout WireRequest.Draft, _ hop: WireRequest.Hop) async throws -> Void

    /// Where callbacks run that name no executor: in the background by default, never on the main queue
    /// unless it is asked for.
    public var callbackExecutor: any PromiseExecutor = .default

    /// What counts deadlines and waits between retries. A test hands in a clock that it moves itself.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Called for each event of each load, on whatever thread it happens. It must return soon.
    public var observer: (@Sendable (LoadEvent) -> Void)?

    /// Makes a configuration without defaults and middleware.
    ///
    /// - Parameter baseURL: What paths are appended to; `nil` if all requests have absolute URLs.
    public init(baseURL: URL? = nil) { self.baseURL = baseURL }
  }
}

extension Pipeline {
  /// The pipeline that a configuration asks for, over a transport.
  convenience init(_ configuration: Client.Configuration, over transport: any Transport) {
    self.init(
      ExchangeRunner(
        transport: transport, encoder: configuration.encoder, decoder: configuration.decoder,
        errorBody: configuration.errorBody, cookies: configuration.cookies,
        strictTransportSecurity: configuration.strictTransportSecurity, sign: configuration.sign,
        signsOtherOrigins: configuration.signsOtherOrigins, baseURL: configuration.baseURL,
        memory: configuration.maximumMemory.map(MemoryBudget.init),
        observer: configuration.middleware.lazy.compactMap { $0 as? any ExchangeObserver }.first),
      defaults: RequestDefaults(
        baseURL: configuration.baseURL, headers: configuration.headers,
        query: configuration.query, parameters: configuration.parameters,
        options: configuration.options),
      middleware: configuration.middleware + configuration.limits,
      clock: LoadClock(configuration.clock),
      background: configuration.middleware.isEmpty ? nil : BackgroundWork())
  }
}

extension Client.Configuration {
  /// Innermost, so that a load that waits for anything else takes no turn.
  fileprivate var limits: [any Middleware] {
    guard maximumRequestsPerHost != nil || maximumRequests != nil else { return [] }
    return [ConcurrencyLimitMiddleware(perHost: maximumRequestsPerHost, total: maximumRequests)]
  }
}
