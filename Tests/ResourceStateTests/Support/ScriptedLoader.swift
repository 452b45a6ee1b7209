import Foundation
import ResourceLoading
import Synchronization

/// A loader whose loads wait for the test's answer. Stored responses are returned at once.
final class ScriptedLoader: Loader {
  private let state = Mutex(State())

  private struct State {
    var stored: [String: (body: String, age: Duration, maxAge: Int)] = [:]
    var waiting: [Waiting] = []
    var begun: [Request] = []
    var cancelled: [String: Int] = [:]
    var overlaps = 0
    var count: UInt64 = 0
  }

  private struct Waiting {
    let id: UInt64
    let path: String
    let answer: @Sendable (Result<Response, any Error>) -> Void
  }

  var waitingCount: Int { state.withLock { $0.waiting.count } }

  var waiting: [String] { state.withLock { $0.waiting.map(\.path) } }

  /// How often two reads of one path overlapped.
  var overlaps: Int { state.withLock { $0.overlaps } }

  var begun: [Request] { state.withLock { $0.begun } }

  func loads(_ path: String) -> Int { state.withLock { $0.begun.count { $0.path == path } } }

  func cancellations(_ path: String) -> Int { state.withLock { $0.cancelled[path] ?? 0 } }

  func store(_ path: String, _ body: String, age: Duration = .zero, maxAge: Int = 60) {
    state.withLock { $0.stored[path] = (body, age, maxAge) }
  }

  func removeStored() { state.withLock { $0.stored = [:] } }

  /// Answers the first waiting load of a path, if there is one.
  @discardableResult
  func answer(_ path: String, _ result: Result<Response, any Error>) -> Bool {
    let waiting = state.withLock { state -> Waiting? in
      guard let index = state.waiting.firstIndex(where: { $0.path == path }) else { return nil }
      return state.waiting.remove(at: index)
    }
    waiting?.answer(result)
    return waiting != nil
  }

  @concurrent
  func load<R>(_ resource: Resource<R>) async throws -> R {
    let path = resource.request.path
    if resource.request.options.cachePolicy == .cacheOnly {
      return try resource.parser(try stored(path))
    }
    let response = try await response(to: resource.request)
    return try resource.parser(response)
  }

  private func stored(_ path: String) throws -> Response {
    guard let stored = state.withLock({ $0.stored[path] }) else { throw LoadError.notCached }
    var response = Response.text(stored.body, path, maxAge: stored.maxAge)
    response.source =
      stored.age < .seconds(stored.maxAge)
      ? .cache(age: stored.age) : .stale(age: stored.age, because: .allowed)
    return response
  }

  private func response(to request: Request) async throws -> Response {
    let id = state.withLock { state in
      state.count += 1
      state.begun.append(request)
      return state.count
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let waiting = Waiting(id: id, path: request.path) { continuation.resume(with: $0) }
        let isCancelled = Task.isCancelled
        state.withLock { state in
          if request.method == .get, state.waiting.contains(where: { $0.path == waiting.path }) {
            state.overlaps += 1
          }
          if !isCancelled { state.waiting.append(waiting) }
        }
        if isCancelled { return waiting.answer(.failure(CancellationError())) }
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: UInt64) {
    let waiting = state.withLock { state -> Waiting? in
      guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
      let waiting = state.waiting.remove(at: index)
      state.cancelled[waiting.path, default: 0] += 1
      return waiting
    }
    waiting?.answer(.failure(CancellationError()))
  }
}

extension Request {
  var path: String {
    url.absoluteString.hasPrefix("/") ? url.absoluteString : "/" + url.absoluteString
  }
}

extension Response {
  static func text(
    _ text: String, _ path: String = "/", maxAge: Int? = 60, headers: Headers = [:]
  ) -> Response {
    var headers = headers
    if let maxAge { headers[.cacheControl] = "max-age=\(maxAge)" }
    return Response(
      url: URL(filePath: path), headers: headers, body: Data(text.utf8))
  }
}
