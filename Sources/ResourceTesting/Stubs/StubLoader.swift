public import Foundation
public import ResourceLoading
import Synchronization

/// A loader without a network. It gives the answers that a test has set, and records the requests.
///
/// An answer is a response, a value or an error. The status of a response is checked and its body
/// parsed like those of a real one; a value needs neither.
///
/// ```swift
/// let loader = StubLoader()
/// loader.stub("/users/octocat", .json(#"{"login": "octocat"}"#))
/// loader.stub("/users/nobody", .response(status: 404))
/// let model = UserModel(loader: loader)
/// ```
///
/// A request without a stub gets the sample of its resource (`Resource.sample`) if there is one.
///
/// To test what a `Client` does between a load and the wire, give it a ``StubTransport`` instead.
///
/// All members may be used from any thread.
public final class StubLoader: Loader {
  private let state = Mutex(StubTable<Request>())
  private let decoder: JSONDecoder?

  /// Creates a loader without answers. Every request fails until it is stubbed, unless its resource
  /// has a sample.
  ///
  /// - Parameter decoder: The decoder for resources without one of their own, like a client's
  ///   `Configuration.decoder`; `nil` for a plain one. It is used on several threads at once, so
  ///   don't change it afterwards.
  public init(decoder: JSONDecoder? = nil) { self.decoder = decoder }

  /// All requests in order, including those that failed or were cancelled.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// Sets the answers to requests. A later call for the same pattern replaces the earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request, `"/users/1"`, with or without a method before it,
  ///     `"GET /users/1"`. A `*` matches one segment, `"/repos/*/issues"`. Of several matching
  ///     patterns, one without stars is preferred, then one with a method, then the one whose first
  ///     star comes last. `"*"`, or `"GET *"`, matches requests that no other pattern matches.
  ///   - first: The first answer.
  ///   - further: The following answers; the last one is repeated.
  public func stub(_ pattern: String, _ first: StubAnswer, _ further: StubAnswer...) {
    state.withLock { state in
      state.stub(pattern, ([first] + further).map { answer in { _ in answer } })
    }
  }

  /// Sets a closure that answers requests. A later call for the same pattern replaces the earlier
  /// one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request, with or without a method before it, or `"*"`.
  ///   - answer: Called for each request, on any thread.
  public func stub(_ pattern: String, _ answer: @escaping @Sendable (Request) -> StubAnswer) {
    state.withLock { $0.stub(pattern, [answer]) }
  }

  /// Loads a resource from the stubs.
  ///
  /// - Throws: The stub's error as a `LoadError`; what acceptance and parsing throw for a stubbed
  ///   response; a `LoadError` of kind `invalidRequest` if the request isn't stubbed, or with a
  ///   value of another type; `CancellationError` if the calling task is cancelled before or during
  ///   a delay.
  @concurrent
  public func load<R>(_ resource: Resource<R>) async throws -> R {
    try Task.checkCancellation()
    let request = resource.request
    do {
      let answer = try answer(to: request, sample: resource.sample)
      try await answer.pause()
      return try await answer.resolve(resource, decoder: decoder)
    } catch let error as CancellationError {
      throw error
    } catch {
      // Every error has the request, as in a real load.
      var failure = StubAnswer.failure(error)
      failure.curlCommand = failure.curlCommand ?? request.curlCommand
      throw failure
    }
  }

  private func answer(to request: Request, sample: SampleResponse?) throws -> StubAnswer {
    let path = request.url.stubPath
    guard let responder = state.withLock({ $0.ask(request, request.method, path) }) else {
      if let sample {
        return .response(status: sample.status, headers: sample.headers, body: sample.body)
      }
      throw state.withLock { $0.error(for: request.method, path, by: "loader") }
    }
    return responder(request)
  }
}
