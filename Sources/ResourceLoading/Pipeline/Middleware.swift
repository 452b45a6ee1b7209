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

  /// Whether the library knows what this stage does without asking it: what it sends on is what
  /// ``credentialed(_:next:)`` returns, if it sends anything, and it waits for nothing but ``Next``.
  ///
  /// `false` unless a stage says otherwise; all stages of the library do. A load runs in the task of its caller as
  /// long as it passes only such stages. Any other stage gets a task of its own, which is cancelled when the time of
  /// the load is over or its client is closed. ``Client/dryRun(_:)-(Resource<R>)`` asks only the others to respond.
  var isTransparent: Bool { get }
}

extension Middleware {
  /// `false`.
  public var isTransparent: Bool { false }

  /// The request as it is: this stage adds no credential, or doesn't tell.
  public func credentialed(_ request: Request, next: Next) -> Request { request }
}

/// What comes behind a ``Middleware``: the middleware further in, and at last the transport.
public struct Next: Sendable {
  private let pipeline: Pipeline
  private let position: Int
  let context: LoadContext

  init(_ pipeline: Pipeline, position: Int = 0, context: LoadContext) {
    self.pipeline = pipeline
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
    guard position < pipeline.middleware.count else {
      return try await pipeline.runner.respond(to: request, in: context)
    }
    let stage = pipeline.middleware[position]
    let next = Next(pipeline, position: position + 1, context: context)
    guard stage.isTransparent else {
      return try await context.inTask { try await stage.respond(to: request, next: next) }
    }
    return try await stage.respond(to: request, next: next)
  }
}

// MARK: - What a middleware may want to know

extension Next {
  /// How much of the load's time is left; `nil` if it has no limit.
  public var remainingTime: Duration? { context.remaining }

  /// The date by the client's clock.
  public var date: Date { context.clock.date() }

  /// Whether a request goes to the origin of the client's base URL; always if there is none.
  public func isSameOrigin(_ request: Request) -> Bool {
    pipeline.defaults?.isSameOrigin(request) ?? true
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
  public var bypass: some Loader { pipeline.bypass }
}

extension Next {
  /// The request with the credentials that the stages behind say they would add.
  func credentialed(_ request: Request) -> Request {
    var request = request
    for position in position..<max(position, pipeline.middleware.count) {
      request = pipeline.middleware[position].credentialed(
        request, next: Next(pipeline, position: position + 1, context: context))
    }
    return request
  }

  /// The same on behalf of another load, which goes on when this one is over.
  func on(behalfOf context: LoadContext) -> Next {
    Next(pipeline, position: position, context: context)
  }

  /// What identifies a stage of a client, while one of its loads is in flight.
  struct StageID: Hashable, Sendable {
    private let pipeline: ObjectIdentifier
    private let position: Int

    fileprivate init(_ pipeline: Pipeline, _ position: Int) {
      self.pipeline = ObjectIdentifier(pipeline)
      self.position = position
    }
  }

  /// The stage that has this.
  var stage: StageID { StageID(pipeline, position) }
}

// What a cache in another module has to know of the stages behind it.

extension Next {
  /// Whether the body of the response is kept in memory, and not on its way into a file or a stream.
  package var keepsBody: Bool { context.destination == nil }

  /// The date on the calendar, and the time by a clock that is never set.
  package struct Timestamp: Sendable {
    package var date: Date
    /// Since a beginning that is the same for all loads of a client.
    package var uptime: Duration

    package init(date: Date, uptime: Duration) {
      self.date = date
      self.uptime = uptime
    }
  }

  /// Now.
  package var now: Timestamp { Timestamp(date: date, uptime: context.clock.now()) }

  /// Whether the load is over.
  package var isOver: Bool { Task.isCancelled || context.hasEnded }

  /// Waits for something that others wrote and that only the cancellation of its task ends: in a task of its own,
  /// unless the load has one.
  ///
  /// - Throws: What it throws; `CancellationError` as soon as the load is over.
  package func inTask<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await context.inTask(body)
  }

  /// A request as it would be sent now, as far as the stages behind tell: with the credentials that they add.
  package func predicted(_ request: Request) -> Request {
    var request = credentialed(request)
    if let cookies = pipeline.runner.cookies, request.headers[.cookie] == nil {
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
  ///   - same: What is the same for work that is done once: while equal work is in flight, none is begun.
  ///   - work: What to do, with what comes behind this stage.
  package func inBackground(
    _ request: Request, as same: Request, _ work: @escaping @Sendable (Next) async -> Void
  ) {
    let next = on(behalfOf: context.continued(with: request))
    pipeline.background?.begin(SharingKey(request: same, stage: stage)) { await work(next) }
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
