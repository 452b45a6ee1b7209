public import Foundation

/// A stage between a ``Client`` and its transport: it sees every request and every response, and decides
/// what becomes of them.
///
/// Middleware is listed from the outside in: the first one sees the request first and the response last. It
/// may change either, send more than once, wait, or answer by itself.
///
/// ```swift
/// struct Stopwatch: Middleware {
///   func respond(to request: Request, next: Next) async throws -> Response {
///     let start = ContinuousClock.now
///     defer { print(request.url, start.duration(to: .now)) }
///     return try await next(request)
///   }
/// }
/// ```
///
/// A response with any status arrives as a response: which are errors is decided after the outermost
/// middleware. A value is used by many loads at once, so what it keeps has to be `Sendable`.
public protocol Middleware: Sendable {
  /// Answers a request, as a rule by sending it on.
  ///
  /// The calling task is cancelled when the load is: by its caller, by its time limit, or because the client
  /// was closed. Whatever waits here has to end then.
  ///
  /// - Parameters:
  ///   - request: What to send: absolute and complete.
  ///   - next: What comes behind this one. It may be called any number of times.
  /// - Returns: The response, whatever its status.
  /// - Throws: A ``LoadError``, `CancellationError`, or an error of one's own: the load then fails with a
  ///   ``LoadError`` of kind ``LoadError/Kind/middleware`` that holds it.
  func respond(to request: Request, next: Next) async throws -> Response

  /// The request with the credential that it would be sent with now, if this stage adds one; else as it is.
  ///
  /// A cache in front asks for it, so that it keeps apart what belongs to different credentials. A middleware
  /// that adds credentials and doesn't tell is safe too: what is answered to its requests isn't stored.
  ///
  /// - Parameters:
  ///   - request: What may be sent.
  ///   - next: What comes behind this one. Nothing is to be sent.
  func credentialed(_ request: Request, next: Next) -> Request
}

extension Middleware {
  /// The request as it is: this stage adds no credential, or doesn't tell.
  public func credentialed(_ request: Request, next: Next) -> Request { request }
}

/// What comes behind a ``Middleware``: the middleware further in, and at last the transport.
public struct Next: Sendable {
  let chain: Chain
  private let position: Int
  let context: LoadContext

  init(_ chain: Chain, position: Int = 0, context: LoadContext) {
    self.chain = chain
    self.position = position
    self.context = context
  }

  /// Sends a request on.
  ///
  /// - Parameter request: What to send.
  /// - Returns: The whole response, whatever its status; redirects have been followed.
  /// - Throws: A ``LoadError`` if there was no response, `CancellationError` if the load is over, or what a
  ///   middleware further in throws.
  public func callAsFunction(_ request: Request) async throws -> Response {
    guard position < chain.middleware.count else {
      return try await chain.sender.respond(to: request, in: context)
    }
    return try await chain.middleware[position].respond(
      to: request, next: Next(chain, position: position + 1, context: context))
  }
}

// MARK: - What a middleware may want to know

extension Next {
  /// How much of the load's time is left; `nil` if it has no limit.
  public var remainingTime: Duration? { context.remaining }

  /// The date by the client's clock.
  public var date: Date { context.clock.date() }

  /// Whether nothing will be sent: somebody asked what would be.
  public var isDryRun: Bool { context.isDryRun }

  /// Whether a request goes to the origin of the client's base URL; always if there is none.
  public func isSameOrigin(_ request: Request) -> Bool {
    chain.completer?.isSameOrigin(request) ?? true
  }

  /// Waits, by the client's clock.
  ///
  /// - Throws: `CancellationError` as soon as the load is over.
  public func sleep(for duration: Duration) async throws {
    try await context.sleep(for: duration)
  }

  /// Tells the client's observer that something happened.
  public func report(_ event: LoadEvent.Kind) { context.report(event) }

  /// A loader that has the client's base URL, defaults and transport, and none of its middleware. What it
  /// loads isn't authenticated, limited, retried or shared.
  public var bypass: some Loader { BareLoader(chain: chain, clock: context.clock) }
}

extension Next {
  /// What the stages behind say they would make of a request.
  func credentialed(_ request: Request) -> Request {
    var request = request
    for position in position..<max(position, chain.middleware.count) {
      request = chain.middleware[position].credentialed(
        request, next: Next(chain, position: position + 1, context: context))
    }
    return request
  }

  /// The same in another load's name, which goes on when this one is over.
  func on(behalfOf context: LoadContext) -> Next {
    Next(chain, position: position, context: context)
  }

  /// Where in which client's chain a middleware stands, while one of its loads is under way.
  struct Place: Hashable, Sendable {
    private let chain: ObjectIdentifier
    private let position: Int

    fileprivate init(_ chain: Chain, _ position: Int) {
      self.chain = ObjectIdentifier(chain)
      self.position = position
    }
  }

  /// Where the middleware that has this stands.
  var place: Place { Place(chain, position) }
}

// What a cache in another module has to know of the stages behind it.

extension Next {
  /// Whether the body of the response is kept in memory, and not on its way into a file or a stream.
  package var keepsBody: Bool { context.destination == nil }

  /// The date on the calendar, and the time by a clock that nobody sets.
  package struct Moment: Sendable {
    package var date: Date
    /// Since a beginning that is the same for all loads of a client.
    package var uptime: Duration

    package init(date: Date, uptime: Duration) {
      self.date = date
      self.uptime = uptime
    }
  }

  /// Now.
  package var moment: Moment { Moment(date: date, uptime: context.clock.now()) }

  /// A request as it would be sent now, as far as the stages behind tell: with the credentials that they add.
  package func predicted(_ request: Request) -> Request {
    var request = credentialed(request)
    if let cookies = chain.sender.cookies, request.headers[.cookie] == nil {
      request.headers[.cookie] = cookies.header(for: request.url, at: date)
    }
    if let credential = request.urlCredential, request.headers[.authorization] == nil {
      request.headers[.authorization] = credential
    }
    return request
  }

  /// Does something with the stages behind that goes on when the load is over. It has the time that a load of
  /// its own would have, and is cancelled when the client is closed.
  ///
  /// - Parameters:
  ///   - request: What is to be loaded.
  ///   - same: What is the same for what is done once: while a work of an equal one is under way, none is begun.
  ///   - work: What to do, with what comes behind this stage.
  package func inBackground(
    _ request: Request, as same: Request, _ work: @escaping @Sendable (Next) async -> Void
  ) {
    let next = on(behalfOf: context.continued(with: request))
    chain.background?.begin(SharingKey(request: same, place: place)) { await work(next) }
  }
}

extension Request {
  /// The credential that its URL's user info stands for.
  fileprivate var urlCredential: String? {
    // Looking at the text first is much cheaper than taking the URL apart.
    guard case .url(let url) = address, url.absoluteString.utf8.contains(UInt8(ascii: "@")),
      let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let user = parts.user
    else { return nil }
    return BasicCredential.value(user: user, password: parts.password ?? "")
  }
}

/// A middleware that waits for nothing but what ``LoadContext/end(for:)`` ends, so that a load through it needs
/// no task of its own to be ended: only what others wrote may wait for who knows what.
protocol EndableMiddleware: Middleware {}
