extension Resource {
  /// Reads the value out of a response as every load does: the status is checked first, then the parser
  /// runs, off every serial queue. For loaders of one's own.
  ///
  /// - Parameter response: A whole response.
  /// - Returns: What the parser made of it.
  /// - Throws: `LoadError` of kind `status` or `authentication` for a status that isn't accepted, and what
  ///   the parser throws as a `LoadError` of kind `parsing`; `CancellationError` if the calling task is
  ///   cancelled.
  public func read(_ response: Response) async throws -> R {
    do {
      return try await value(of: response)
    } catch {
      var evidence = Evidence(request)
      evidence.receive(response)
      throw evidence.explain(error)
    }
  }

  /// The same without the evidence.
  func value(of response: Response) async throws -> R {
    try accept(response)
    let value = try await ParsingLane.run { try parse(response) }
    try Task.checkCancellation()
    return value
  }

  private func accept(_ response: Response) throws {
    let accepted = request.options.acceptedStatuses ?? .successful
    guard !accepted.contains(response.status) else { return }
    throw LoadError(status: response)
  }
}
