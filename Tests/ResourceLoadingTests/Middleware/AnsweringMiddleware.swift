import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization

/// Replaces the transport: returns responses and records the requests.
final class Answering: Middleware {
  private let answer: @Sendable (Request, Int) async throws -> Response
  private let asked = Mutex<[Request]>([])

  /// - Parameter answer: Gets the request and the number of requests before it.
  init(_ answer: @escaping @Sendable (Request, Int) async throws -> Response) {
    self.answer = answer
  }

  /// Responds with the statuses in order, and then always with the last one.
  convenience init(statuses: Status..., headers: Headers = [:]) {
    self.init { request, count in
      let status = statuses[min(count, statuses.count - 1)]
      return Response(url: request.url, method: request.method, status: status, headers: headers)
    }
  }

  var requests: [Request] { asked.withLock(\.self) }

  func respond(to request: Request, next: Next) async throws -> Response {
    let count = asked.withLock { asked in
      defer { asked.append(request) }
      return asked.count
    }
    return try await answer(request, count)
  }
}

/// Waits for a gate, whether its load has ended or not, and then goes on.
final class StubbornMiddleware: Middleware {
  let begun = Gate()
  let gate = Gate()
  let ended = Gate()

  func respond(to request: Request, next: Next) async throws -> Response {
    begun.open()
    await Task { [gate] in try? await gate.opened() }.value
    defer { ended.open() }
    return try await next(request)
  }
}

/// A URL that gets no requests.
let nowhere = URL(string: "https://example.org/api")!
