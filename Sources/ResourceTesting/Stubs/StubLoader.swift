public import Foundation
public import ResourceLoading
import Synchronization

/// A loader without a network: it answers with what a test has put into it, and remembers what it was asked.
///
/// An answer is either a canned response, which runs through the same acceptance of its status and the same
/// parser as a real one, or a canned value, which replaces both, or an error.
///
/// ```swift
/// let loader = StubLoader()
/// loader.stub("/users/octocat", .json(#"{"login": "octocat"}"#))
/// loader.stub("/users/nobody", .response(status: 404))
/// let model = UserModel(loader: loader)
/// ```
///
/// To test what a `Client` does between a load and the wire, give it a ``StubTransport`` instead.
///
/// All members may be used from any thread.
public final class StubLoader: Loader {
  private let state = Mutex(StubTable<Request>())
  private let decoder: JSONDecoder?

  /// Makes a loader that answers every request with an error until it has been told better.
  ///
  /// - Parameter decoder: What decodes JSON for resources that name no decoder, as
  ///   a client's `Configuration.decoder` does; `nil` for a plain one. It is used on several threads at once: don't
  ///   change it afterwards.
  public init(decoder: JSONDecoder? = nil) { self.decoder = decoder }

  /// What was asked, in order, the requests that failed or were cancelled included.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// Says how requests are answered. A later call for the same pattern replaces the earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request, `"/users/1"`, with or without a method before it,
  ///     `"GET /users/1"`. A `*` stands for one segment, `"/repos/*/issues"`; of several patterns that fit, one
  ///     without stars counts first, then one with a method, then the one whose first star comes last. `"*"`
  ///     answers whatever no other pattern does.
  ///   - first: The first answer.
  ///   - further: The answers after it; the last one is given from then on.
  public func stub(_ pattern: String, _ first: StubAnswer, _ further: StubAnswer...) {
    state.withLock { state in
      state.stub(pattern, ([first] + further).map { answer in { _ in answer } })
    }
  }

  /// Says how requests are answered that need looking at. A later call for the same pattern replaces the
  /// earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request, with or without a method before it, or `"*"`.
  ///   - answer: Is called for each request, on any thread.
  public func stub(_ pattern: String, _ answer: @escaping @Sendable (Request) -> StubAnswer) {
    state.withLock { $0.stub(pattern, [answer]) }
  }

  /// Answers as the test has said.
  ///
  /// - Throws: The stub's error as a `LoadError`; what acceptance and parsing throw for a stubbed response; a
  ///   `LoadError` of kind `invalidRequest` if nothing was said about the request, or a value of another type was;
  ///   `CancellationError` if the calling task is cancelled before or while a delay passes.
  @concurrent
  public func load<R>(_ resource: Resource<R>) async throws -> R {
    try Task.checkCancellation()
    let request = resource.request
    do {
      let answer = try answer(to: request)
      try await answer.pause()
      return try await answer.resolve(resource, decoder: decoder)
    } catch let error as CancellationError {
      throw error
    } catch {
      // What was to be sent is told with every error, as it is of a real load.
      var failure = StubAnswer.failure(error)
      failure.request = failure.request ?? request.curlCommand
      throw failure
    }
  }

  private func answer(to request: Request) throws -> StubAnswer {
    let path = request.url.stubPath
    guard let responder = state.withLock({ $0.ask(request, request.method, path) }) else {
      throw LoadError(unstubbed: request.method, path, by: "loader")
    }
    return responder(request)
  }
}
