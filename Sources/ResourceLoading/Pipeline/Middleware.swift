public import Foundation
package import ResourcePrimitives

/// A stage between a ``Client`` and its transport, which sees and may change every request and
/// every response.
///
/// Middleware is listed from the outside in: the first one sees the request first and the response
/// last. It may change either, send the request more than once, wait, or return a response of its
/// own.
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
/// A response is returned with any status; statuses that aren't accepted become errors after the
/// outermost middleware. Many loads use a value at the same time, so its state must be `Sendable`.
public protocol Middleware: Sendable {
  /// Responds to a request, usually by sending it on.
  ///
  /// The calling task belongs to the load. It is cancelled when the load ends early: by its caller,
  /// at its time limit, or because the client was closed. Anything that waits here then has to end.
  /// A load whose middleware doesn't end within a quarter of a second fails without it.
  ///
  /// - Parameters:
  ///   - request: The request, which is absolute and complete.
  ///   - next: Sends a request to the next stage. It may be called any number of times.
  /// - Returns: The response, with any status.
  /// - Throws: A ``LoadError``, `CancellationError`, or any other error: the load then fails with a
  ///   ``LoadError`` of kind ``LoadError/Kind/middleware`` that holds it.
  func respond(to request: Request, next: Next) async throws -> Response

  /// Returns the request with the credential that this stage would add now; unchanged if it adds
  /// none.
  ///
  /// A cache in front calls it to keep the responses to different credentials apart. A middleware
  /// that adds credentials and doesn't implement it is safe too: responses to its requests aren't
  /// stored.
  ///
  /// - Parameters:
  ///   - request: A request that may be sent.
  ///   - next: The next stage, to which nothing may be sent.
  func credentialed(_ request: Request, next: Next) -> Request

  /// Returns a number that grows whenever responses to earlier requests have become obsolete: after
  /// a sign-out, or after stored responses were removed.
  ///
  /// ``CoalescingMiddleware`` lets no load join a shared load that began with another number. The
  /// default is 0.
  ///
  /// - Parameter request: A request that may be sent.
  func generation(of request: Request) -> Int
}

extension Middleware {
  /// Returns the request unchanged.
  public func credentialed(_ request: Request, next: Next) -> Request { request }

  /// 0.
  public func generation(of request: Request) -> Int { 0 }
}

/// Middleware that changes a request by nothing but its credentials, so that a dry run needn't call
/// it: all of the library's.
package protocol PredictableMiddleware: Middleware {
  /// The maximum number of requests to one host that it lets through; `nil` for any number.
  var requestsPerHost: Int? { get }
}

extension PredictableMiddleware {
  /// Any number.
  package var requestsPerHost: Int? { nil }
}

/// The stage after a ``Middleware``: another middleware, or finally the transport.
public struct Next: Sendable {
  private let pipeline: Pipeline
  private let position: Int
  let context: LoadContext

  init(_ pipeline: Pipeline, position: Int = 0, context: LoadContext) {
    self.pipeline = pipeline
    self.position = position
    self.context = context
  }

  /// Sends a request to the next stage.
  ///
  /// - Parameter request: The request.
  /// - Returns: The whole response, with any status; redirects have been followed.
  /// - Throws: A ``LoadError`` if there was no response, `CancellationError` if the load is over,
  ///   or what a later middleware throws.
  public func callAsFunction(_ request: Request) async throws -> Response {
    guard position < pipeline.middleware.count else {
      return try await pipeline.runner.respond(to: request, in: context)
    }
    let stage = pipeline.middleware[position]
    let next = Next(pipeline, position: position + 1, context: context)
    return try await stage.respond(to: request, next: next)
  }
}

extension Next {
  /// The remaining time of the load; `nil` if it has no limit.
  public var remainingTime: Duration? { context.remaining }

  /// The encoder of JSON without one of its own, such as that of a middleware.
  var encoder: JSONEncoder { pipeline.runner.encoder }

  /// The current date by the client's clock.
  public var date: Date { context.clock.date() }

  /// Whether a request goes to the origin of the client's base URL; always if there is none.
  public func isSameOrigin(_ request: Request) -> Bool {
    pipeline.defaults?.isSameOrigin(request) ?? true
  }

  /// Waits for a duration of the client's clock.
  ///
  /// - Throws: `CancellationError` as soon as the load is over.
  public func sleep(for duration: Duration) async throws {
    try await context.sleep(for: duration)
  }

  /// Reports an event to the client's observer.
  public func report(_ event: LoadEvent.Kind) { context.report(event) }

  /// A loader with the client's base URL, defaults and transport, and without its middleware: its
  /// loads aren't authenticated, limited, retried or shared.
  public var bypass: some Loader { pipeline.bypass }
}

extension Next {
  /// Returns the request with the credentials of the stages behind this one.
  func credentialed(_ request: Request) -> Request {
    var request = request
    for position in position..<max(position, pipeline.middleware.count) {
      request = pipeline.middleware[position].credentialed(
        request, next: Next(pipeline, position: position + 1, context: context))
    }
    return request
  }

  /// Returns a number that grows whenever a stage of the client, or its cookie jar, declares
  /// responses to be obsolete.
  func generation(of request: Request) -> Int {
    pipeline.middleware.reduce(pipeline.runner.cookies?.removals ?? 0) {
      $0 &+ $1.generation(of: request)
    }
  }

  /// Returns the identification of the loads that may share what begins now, for a request that
  /// ``predicted(_:)`` has returned.
  func sharingKey(_ request: Request) -> SharingKey {
    SharingKey(request, at: stage, generation(of: request))
  }

  /// Whether a signature, which can't be predicted, will be added to a request.
  func isSigned(_ request: Request) -> Bool {
    pipeline.runner.sign != nil && (pipeline.runner.signsOtherOrigins || isSameOrigin(request))
  }

  /// Returns the same stage for another load, which continues when this one is over.
  func on(behalfOf context: LoadContext) -> Next {
    Next(pipeline, position: position, context: context)
  }

  /// Identifies a stage of a client, while one of its loads is in flight.
  struct StageID: Hashable, Sendable {
    private let pipeline: ObjectIdentifier
    private let position: Int

    fileprivate init(_ pipeline: Pipeline, _ position: Int) {
      self.pipeline = ObjectIdentifier(pipeline)
      self.position = position
    }
  }

  var stage: StageID { StageID(pipeline, position) }
}

// For traces, which are in another module.

extension Next {
  /// Records the trace that the load is a part of, for its events and its log.
  package func join(_ trace: LoadEvent.Trace) { context.trace = trace }

  /// The trace of another load, whose response this one shared.
  package var sharedTrace: LoadEvent.Trace? { context.sharedTrace }

  /// Calls a closure when the load is over and its value parsed, with the error that it throws.
  package func atEnd(_ body: @escaping @Sendable ((any Error)?) -> Void) {
    context.atEnd(body)
  }

  package var clock: LoadClock { context.clock }
}

// For the cache, which is in another module.

extension Next {
  /// Whether the body of the response is kept in memory, and not written into a file or a stream.
  package var keepsBody: Bool { context.destination == nil }

  /// The date, and the time of a clock that is never set.
  package struct Timestamp: Sendable {
    package var date: Date
    /// The time since a beginning that is the same for all loads of a client.
    package var uptime: Duration

    package init(date: Date, uptime: Duration) {
      self.date = date
      self.uptime = uptime
    }
  }

  package var now: Timestamp { Timestamp(date: date, uptime: context.clock.now()) }

  /// Returns a request as it would be sent now: with the credentials of the stages behind this one,
  /// cookies, and user info.
  package func predicted(_ request: Request) -> Request {
    var request = credentialed(request)
    if let cookies = pipeline.runner.cookies, request.headers[.cookie] == nil {
      request.headers[.cookie] = cookies.header(
        for: request.url, at: date, since: context.cookieRemovals)
    }
    if let credential = request.urlCredential, request.headers[.authorization] == nil {
      request.headers[.authorization] = credential
    }
    return request
  }

  /// Returns the identity that a request which ``predicted(_:)`` has returned would have if it were
  /// sent now.
  package func identity(of request: Request) -> RequestIdentity {
    RequestIdentity(
      predicting: request, connection: pipeline.runner.transport.identity(for: request.url))
  }

  /// Begins work with the stages behind this one that outlives the load. It has the time limit of a
  /// load of its own, and is cancelled when the client is closed. It isn't begun while work with an
  /// equal request (`same`) is in flight.
  package func inBackground(
    _ request: Request, as same: Request, _ work: @escaping @Sendable (Next) async -> Void
  ) {
    let context = context.continued(with: request)
    let next = on(behalfOf: context)
    pipeline.background?.begin(sharingKey(same), in: context) { await work(next) }
  }
}

extension Request {
  /// The credential in the user info of its URL.
  fileprivate var urlCredential: String? {
    // Searching the text first is much cheaper than parsing the URL.
    guard case .url(let url) = address,
      !url.absoluteString.hasOnlyBytes(where: { $0 != UInt8(ascii: "@") }),
      let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return nil }
    return parts.basicCredential
  }
}
