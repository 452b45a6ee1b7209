public import Foundation
import PromiseModule
import ResourcePrimitives

/// The first of the two steps of a load: completes its request, sends it through the middleware,
/// checks the status of the response and parses it. Behind the middleware is the second step, the
/// ``ExchangeRunner``.
///
/// On its own it is a loader. A ``Client`` registers its loads, so that it can end them. A class,
/// because copying everything in it from stage to stage would cost more than the stages.
final class Pipeline: Loader {
  /// Completes requests; `nil` if they are complete.
  let defaults: RequestDefaults?
  let middleware: [any Middleware]
  let runner: ExchangeRunner
  let clock: LoadClock
  /// The work that outlives loads; `nil` if there can't be any.
  let background: BackgroundWork?

  init(
    _ runner: ExchangeRunner, defaults: RequestDefaults? = nil, middleware: [any Middleware] = [],
    clock: LoadClock = .system, background: BackgroundWork? = nil
  ) {
    self.defaults = defaults
    self.middleware = middleware
    self.runner = runner
    self.clock = clock
    self.background = background
  }

  /// This pipeline without the middleware.
  var bypass: Pipeline { Pipeline(runner, defaults: defaults, clock: clock) }

  @concurrent
  func load<R>(_ resource: Resource<R>) async throws -> R {
    let resource = try completed(resource)
    return try await load(resource, in: LoadContext(resource, LoadIdentity(clock: clock), in: self))
  }
}

extension Pipeline {
  /// Returns the resource with a complete request.
  func completed<R>(_ resource: Resource<R>) throws -> Resource<R> {
    guard let defaults else { return resource }
    var resource = resource
    do {
      try defaults.complete(&resource.request)
    } catch {
      throw ErrorContext(resource.request).explain(error)
    }
    return resource
  }

  func load<R>(_ resource: Resource<R>, in context: LoadContext) async throws -> R {
    do {
      let value = try await context.run { [self] in
        context.report(.started(resource.request))
        let response = try await respond(to: resource.request, in: context)
        return try await parse(response, of: resource, in: context)
      }
      context.report(.parsed)
      context.complete(with: nil)
      return value
    } catch {
      throw fail(error, in: context)
    }
  }

  private func respond(to request: Request, in context: LoadContext) async throws -> Response {
    let next = Next(self, context: context)
    if request.upload != nil, request.body != nil { return try await upload(request, next) }
    guard case .file(_, let options) = request.destination, options.needsMoreThanASink else {
      return try await next(request)
    }
    return try await download(request, next)
  }

  /// Responds to a request whose body is downloaded in parts, or may be there already.
  @inline(never)
  private func download(_ request: Request, _ next: Next) async throws -> Response {
    guard let destination = request.fileDestination else { return try await next(request) }
    if try await destination.isWhole() {
      var response = Response(url: request.url, method: request.method, status: .notModified)
      response.file = destination.file
      return response
    }
    guard destination.options.parts != .one else { return try await next(request) }
    let download = PartsDownload(next, request, destination, hostLimit: limitPerHost)
    return try await download.response()
  }

  /// Responds to a request whose body is uploaded so that it can be resumed. If its file changes
  /// meanwhile, the file as it is then may be uploaded instead, from its beginning.
  @inline(never)
  private func upload(_ request: Request, _ next: Next) async throws -> Response {
    let options = request.upload ?? UploadOptions()
    var changes = 0
    while true {
      let body = try await request.body?.spooled(encoder: runner.encoder) ?? WireBody([])
      let load = UploadLoad(next, request, body, over: runner.transport)
      do {
        return try await load.response(anew: changes > 0)
      } catch let error as LoadError
        where error.isChangedSource && options.change == .beginsAnew
        && changes < options.maximumFailures
      { changes += 1 }
    }
  }

  /// The maximum number of requests to one host; `nil` for any number.
  private var limitPerHost: Int? {
    middleware.lazy.compactMap { ($0 as? any PredictableMiddleware)?.requestsPerHost }.min()
  }

  // A thousand loads may wait, and each keeps memory for all local values of its functions as long
  // as it does. So these are functions of their own, and not inlined.

  @inline(never)
  private func parse<R>(
    _ response: consuming Response, of resource: Resource<R>, in context: LoadContext
  ) async throws -> R {
    // A response that a middleware created has no decoder.
    if let decoder = runner.decoder, response.details.decoder == nil {
      response.details.decoder = decoder
    }
    if let errorBody = resource.errorBody ?? runner.errorBody {
      response.details.errorBody = errorBody
    }
    let options = resource.request.options
    if options.crossOriginHeaders != nil || options.secretNames != nil {
      var details = response.details
      (details.crossOriginHeaders, details.secretNames) =
        (options.crossOriginHeaders, options.secretNames)
      response.details = details
    }
    return try await resource.value(of: response, in: context)
  }

  @inline(never)
  private func fail(_ error: any Error, in context: LoadContext) -> any Error {
    let explained = context.explain(error)
    context.report(.failed(explained))
    context.complete(with: explained)
    return explained
  }
}

extension LoadContext {
  /// Creates the context of a load of a resource whose request is complete. Without a destination,
  /// that of the request is used.
  convenience init<R>(
    _ resource: Resource<R>, _ identity: LoadIdentity, in pipeline: Pipeline,
    destination: (any BodyDestination)? = nil
  ) {
    self.init(
      resource.request, identity,
      timeout: Deadline.shorter(of: resource.request.options.timeout),
      destination: destination ?? resource.request.makeDestination(),
      progress: resource.progress.map { ProgressReporter($0) }, memory: pipeline.runner.memory,
      cookieRemovals: pipeline.runner.cookies?.removals)
  }
}

extension Resource {
  /// Parses a response as every load does: checks the status, and then runs the parser outside of
  /// serial queues. For your own loaders.
  ///
  /// - Parameters:
  ///   - response: A whole response.
  ///   - decoder: The JSON decoder for a resource without one; `nil` for the response's own, which
  ///     is a plain one unless a ``Client`` loaded it.
  /// - Returns: The result of the parser.
  /// - Throws: `LoadError` of kind `status` or `authentication` for a status that isn't accepted,
  ///   and what the parser throws as a `LoadError` of kind `parsing`; `CancellationError` if the
  ///   calling task is cancelled.
  public func read(_ response: Response, decoder: JSONDecoder? = nil) async throws -> R {
    var response = response
    if let decoder { response.details.decoder = decoder }
    let context = LoadContext(request, timeout: nil)
    do {
      return try await value(of: response, in: context)
    } catch {
      throw context.explain(error)
    }
  }

  /// Parses a response, with errors as they are thrown. The response is recorded in the load's
  /// context if an error may need it. The load may end while the parser runs.
  func value(of response: Response, in context: LoadContext) async throws -> R {
    guard accepts(response) else {
      // The response of a cache that couldn't reach the server.
      if let cause = response.details.cause { throw cause }
      context.note { $0.receive(response) }
      throw try await refusal(of: response, in: context)
    }
    do {
      guard !parsing.isShort(for: response) else { return try parse(response) }
    } catch {
      context.note { $0.receive(response) }
      throw error
    }
    context.note { $0.receive(response) }
    let value = try await ParserThreads.run { try parse(response) }
    try Task.checkCancellation()
    return value
  }

  private func accepts(_ response: Response) -> Bool {
    // A file that was there.
    if response.file != nil, response.status == .notModified { return true }
    return (request.options.acceptedStatuses ?? .successful).contains(response.status)
  }

  /// The error for a response that isn't accepted, with its body in the service's type for errors.
  @inline(never)
  private func refusal(
    of response: Response, in context: LoadContext
  ) async throws -> LoadError {
    var error = LoadError(status: response)
    guard let errorBody = errorBody ?? response.details.errorBody else { return error }
    let parsed = try await ParserThreads.run { Result { try errorBody.parser(response) } }
    if case .success(let body) = parsed { error.errorBody = body }
    return error
  }
}
