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
        throw Evidence(resource.request).explain(error)
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
