public import Foundation

/// Carries out one load: completes the request, sends it through the stages, judges the response, parses it.
struct LoadRun<R: Sendable>: Sendable {
  private let resource: Resource<R>
  private let chain: Chain
  let context: LoadContext

  /// - Throws: `LoadError` of kind `invalidRequest` if the request can't be completed.
  init(
    _ resource: Resource<R>, through chain: Chain, id: UInt64 = 0, clock: LoadClock = .system,
    destination: (any BodyDestination)? = nil, isDryRun: Bool = false,
    observer: (@Sendable (LoadEvent) -> Void)? = nil
  ) throws {
    var resource = resource
    if let completer = chain.completer {
      do {
        resource.request = try completer.complete(resource.request)
      } catch {
        throw ErrorContext(resource.request).explain(error)
      }
    }
    self.resource = resource
    self.chain = chain
    context = LoadContext(
      resource.request, id: id, clock: clock, timeout: resource.request.options.timeout,
      destination: destination ?? resource.request.makeDestination(),
      progress: resource.progress.map(ProgressReporter.init), isDryRun: isDryRun,
      memory: chain.sender.memory, observer: observer)
  }

  /// - Throws: `CancellationError`, or a `LoadError` with all the evidence there is.
  @concurrent
  func callAsFunction() async throws -> R {
    defer { context.giveBackMemory() }
    do {
      try begin()
      let response = receive(try await chain.respond(to: resource.request, in: context))
      let value = try await resource.value(of: response, in: context)
      context.report(.parsed)
      return value
    } catch {
      throw fail(error)
    }
  }
}

// What waits keeps the room for all that its function ever does. A thousand loads may wait: so these are
// functions of their own, and not inlined.
extension LoadRun {
  @inline(never)
  private func begin() throws {
    try Task.checkCancellation()
    context.report(.started(resource.request))
  }

  @inline(never)
  private func receive(_ response: consuming Response) -> Response {
    // A middleware that answers by itself knows nothing of decoders.
    if let decoder = chain.sender.decoder, response.tools.decoder == nil {
      response.tools.decoder = decoder
    }
    return response
  }

  @inline(never)
  private func fail(_ error: any Error) -> any Error {
    let explained = context.explain(error)
    context.report(.failed(explained))
    return explained
  }
}

/// All the stages between a loader and the wire.
///
/// A class, for it is handed from stage to stage: copying all that is in it would cost more than the stages.
final class Chain: Sendable {
  /// What completes requests; `nil` where they are complete.
  let completer: Completer?
  let middleware: [any Middleware]
  let sender: Sender
  /// What goes on behind the loads; `nil` where nothing may.
  let background: BackgroundWork?
  /// Whether a middleware is among them that may wait for what nothing here can end.
  private let hasOthers: Bool

  init(
    completer: Completer? = nil, middleware: [any Middleware] = [], sender: Sender,
    background: BackgroundWork? = nil
  ) {
    self.completer = completer
    self.middleware = middleware
    self.sender = sender
    self.background = background
    hasOthers = !middleware.allSatisfy { $0 is any EndableMiddleware }
  }
}

extension Chain {
  /// Whether a load waits for nothing that others wrote: none of their middleware, no signature, no stream. What
  /// it waits for can be ended then without cancelling the task that waits.
  func isWithoutOthers(for request: Request) -> Bool {
    !hasOthers && sender.sign == nil && sender.strictTransportSecurity == nil
      && request.body?.isStream != true
  }

  /// The response to a complete request.
  func respond(to request: Request, in context: LoadContext) async throws -> Response {
    guard !middleware.isEmpty else { return try await sender.respond(to: request, in: context) }
    return try await Next(self, context: context)(request)
  }
}

/// A client without its middleware.
struct BareLoader: Loader {
  let chain: Chain
  let clock: LoadClock

  @concurrent
  func load<R>(_ resource: Resource<R>) async throws -> R {
    let bare = Chain(completer: chain.completer, sender: chain.sender)
    return try await LoadRun(resource, through: bare, clock: clock)()
  }
}

extension Resource {
  /// Reads the value out of a response as every load does: the status is checked first, then the parser
  /// runs, off every serial queue. For loaders of one's own.
  ///
  /// - Parameters:
  ///   - response: A whole response.
  ///   - decoder: What decodes JSON for a resource that names no decoder; `nil` for the response's own, which is a
  ///     plain one unless a ``Client`` loaded it.
  /// - Returns: What the parser made of it.
  /// - Throws: `LoadError` of kind `status` or `authentication` for a status that isn't accepted, and what
  ///   the parser throws as a `LoadError` of kind `parsing`; `CancellationError` if the calling task is
  ///   cancelled.
  public func read(_ response: Response, decoder: JSONDecoder? = nil) async throws -> R {
    var response = response
    if let decoder { response.tools.decoder = decoder }
    do {
      return try await value(of: response, in: LoadContext(request, timeout: nil))
    } catch {
      var evidence = ErrorContext(request)
      evidence.receive(response)
      throw evidence.explain(error)
    }
  }

  /// The same without an explanation of errors.
  ///
  /// - Parameter context: That of the load, which may end while the parser runs. It is told of the response
  ///   where that may be of use.
  // Not inlined, so that a load that waits for its response has no room yet for what comes later.
  @inline(never)
  func value(of response: Response, in context: LoadContext) async throws -> R {
    do {
      try accept(response)
      guard !parsing.isShort(for: response) else { return try parse(response) }
    } catch {
      context.note { $0.receive(response) }
      throw error
    }
    context.note { $0.receive(response) }
    let parsed = ParsingLane.run { try parse(response) }
    let value = try await context.wait(for: parsed)
    try Task.checkCancellation()
    return value
  }

  private func accept(_ response: Response) throws {
    let accepted = request.options.acceptedStatuses ?? .successful
    guard !accepted.contains(response.status) else { return }
    throw LoadError(status: response)
  }
}
