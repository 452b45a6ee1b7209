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
    do {
      resource.request = try chain.completer.complete(resource.request)
    } catch {
      throw Evidence(resource.request).explain(error)
    }
    self.resource = resource
    self.chain = chain
    context = LoadContext(
      resource.request, id: id, clock: clock, timeout: resource.request.options.timeout,
      destination: destination ?? resource.request.makeDestination(),
      progress: resource.progress.map(ProgressReporter.init), isDryRun: isDryRun, observer: observer
    )
  }

  /// - Throws: `CancellationError`, or a `LoadError` with all the evidence there is.
  @concurrent
  func callAsFunction() async throws -> R {
    do {
      try Task.checkCancellation()
      context.report(.started(resource.request))
      var response = try await chain.respond(to: resource.request, in: context)
      // A middleware that answers by itself knows nothing of decoders.
      response.tools.decoder = response.tools.decoder ?? chain.sender.decoder
      context.note { $0.receive(response) }
      let value = try await resource.value(of: response, in: context)
      context.report(.parsed)
      return value
    } catch {
      let explained = context.explain(error)
      context.report(.failed(explained))
      throw explained
    }
  }
}
