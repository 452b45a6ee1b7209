import PromiseModule

extension Client {
  /// Loads a response whose body is read while it comes.
  ///
  /// ```swift
  /// let stream = try await client.stream(.get("/log"))
  /// for try await line in stream.lines { print(line) }
  /// ```
  ///
  /// Middleware, limits and deadlines are those of every load: the total time limit includes the time of reading.
  /// A load that fails before the first byte may be retried; afterwards its failure is the stream's.
  ///
  /// - Parameter request: What to send.
  /// - Returns: The stream, as soon as the head of an accepted response is there.
  /// - Throws: A ``LoadError`` if there is no accepted response, or `CancellationError` as soon as the calling
  ///   task is cancelled.
  @concurrent
  public func stream(_ request: Request) async throws -> ResponseStream {
    try Task.checkCancellation()
    let options = request.options.completed(by: configuration.options)
    let destination = StreamDestination(accepted: options.acceptedStatuses ?? .successful)
    let load = try begin(.void(request), into: destination)
    load.observe(on: .inline) { [channel = destination.channel] result in
      if case .failure(let error) = result { channel.end(error) } else { channel.end(nil) }
    }
    let owner = ResponseStream.Owner(destination.channel, load)
    return ResponseStream(try await owner.head(), owner)
  }
}
