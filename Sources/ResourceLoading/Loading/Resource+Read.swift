public import Foundation

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
      var evidence = Evidence(request)
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
