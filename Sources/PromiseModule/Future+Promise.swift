#if canImport(Combine)
  @preconcurrency public import Combine

  // Combine's types aren't `Sendable`, but by its documentation subjects and subscriptions may be
  // used from any thread.

  extension Promise {
    /// Creates a promise that follows a Combine future.
    ///
    /// Cancelling the promise cancels the subscription, not the future, which can't be cancelled.
    ///
    /// - Parameters:
    ///   - future: The future to follow.
    ///   - fileID: The file that a ``BrokenPromise`` names.
    ///   - line: The line that a ``BrokenPromise`` names.
    public convenience init<Failure: Error>(
      _ future: Future<Value, Failure>, fileID: StaticString = #fileID, line: UInt = #line
    ) {
      self.init(fileID: fileID, line: line) { resolver in
        let subscription = future.sink { completion in
          if case .failure(let error) = completion { resolver.reject(error) }
        } receiveValue: { value in
          resolver.fulfill(value)
        }
        resolver.onCancel { subscription.cancel() }
      }
    }

    /// A publisher of the value, or the error, of this promise, for any number of subscribers.
    ///
    /// Use it where Combine expects a `Future`. It follows the promise from the moment it is
    /// created, and keeps its interest until the promise is settled.
    public var publisher: AnyPublisher<Value, any Error> {
      let subject = CurrentValueSubject<Value?, any Error>(nil)
      observe(on: .inline) { result in
        switch result {
        case .success(let value): subject.send(value)
        case .failure(let error): subject.send(completion: .failure(error))
        }
      }
      return subject.compactMap { $0 }.first().eraseToAnyPublisher()
    }
  }
#endif
