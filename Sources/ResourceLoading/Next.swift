public import Foundation

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
  public func isAtHome(_ request: Request) -> Bool {
    chain.completer?.isAtHome(request) ?? true
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
