import Foundation
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
/// All members may be used from any thread.
public final class StubLoader: Loader {
  private let state = Mutex(State())

  private struct State {
    var stubs: [(pattern: String, answers: [Answer])] = []
    var requests: [Request] = []
  }

  /// Makes a loader that answers every request with an error until it has been told better.
  public init() {}

  /// What was asked, in order, the requests that failed or were cancelled included.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// Says how requests are answered. A later call for the same pattern replaces the earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request, `"/users/1"`, with or without a method before it,
  ///     `"GET /users/1"`; `"*"` answers whatever no other pattern does.
  ///   - first: The first answer.
  ///   - further: The answers after it; the last one is given from then on.
  public func stub(_ pattern: String, _ first: Answer, _ further: Answer...) {
    state.withLock { state in
      state.stubs.removeAll { $0.pattern == pattern }
      state.stubs.append((pattern, [first] + further))
    }
  }

  /// Answers as the test has said.
  ///
  /// - Throws: The stub's error; what acceptance and parsing throw for a stubbed response; a `LoadError` of
  ///   kind `invalidRequest` if nothing was said about the request, or a value of another type was;
  ///   `CancellationError` if the calling task is cancelled before or while a delay passes.
  @concurrent
  public func load<R>(_ resource: Resource<R>) async throws -> R {
    try Task.checkCancellation()
    guard let answer = next(for: resource.request) else { throw Self.unknown(resource.request) }
    try await answer.pause()
    return try await answer.resolve(resource)
  }

  private func next(for request: Request) -> Answer? {
    state.withLock { state in
      state.requests.append(request)
      let patterns = ["\(request.method) \(request.stubPath)", request.stubPath, "*"]
      let stubs = state.stubs
      let known = patterns.compactMap { name in stubs.firstIndex { $0.pattern == name } }
      guard let index = known.first else { return nil }
      guard state.stubs[index].answers.count > 1 else { return state.stubs[index].answers[0] }
      return state.stubs[index].answers.removeFirst()
    }
  }

  private static func unknown(_ request: Request) -> LoadError {
    LoadError(
      .invalidRequest, "the stub loader knows no answer to \(request.method) \(request.stubPath)",
      advice: "Call stub(\"\(request.stubPath)\", …) before the load")
  }
}

extension Request {
  /// The path that a stub is found by, with a leading slash and without the query.
  fileprivate var stubPath: String {
    let path = url.path(percentEncoded: true)
    return path.hasPrefix("/") ? path : "/" + path
  }
}
