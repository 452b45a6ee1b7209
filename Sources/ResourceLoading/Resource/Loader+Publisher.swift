#if canImport(Combine)
  public import Combine
  import PromiseModule

  extension Loader {
    /// A publisher of a resource, as `dataTaskPublisher` is one of data.
    ///
    /// ```swift
    /// client.publisher(for: .user("octocat"))
    ///   .receive(on: DispatchQueue.main)
    ///   .sink(receiveCompletion: { print($0) }, receiveValue: { self.user = $0 })
    ///   .store(in: &subscriptions)
    /// ```
    ///
    /// Every subscription is a load of its own, which starts with it; cancelling the subscription
    /// cancels the load. Values arrive on a background thread unless they are received elsewhere.
    ///
    /// - Parameter resource: The resource.
    /// - Returns: A publisher that publishes the value and finishes, or fails with a ``LoadError``
    ///   or `CancellationError`.
    public func publisher<R>(for resource: Resource<R>) -> AnyPublisher<R, any Error> {
      Deferred {
        let promise = promise(for: resource)
        return promise.publisher.handleEvents(receiveCancel: { promise.cancel() })
      }.eraseToAnyPublisher()
    }
  }
#endif
