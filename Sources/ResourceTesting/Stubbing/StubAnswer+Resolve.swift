import Foundation
import ResourceLoading

extension StubAnswer {
  /// What a loader makes of it.
  func resolve<R>(_ resource: Resource<R>) async throws -> R {
    switch content {
    case .error(let error): throw error
    case .value(let value):
      guard let value = value as? R else {
        throw LoadError(
          .invalidRequest,
          "the stub for this request holds a \(type(of: value)), not a \(R.self)")
      }
      return value
    case .response(let status, let headers, let body):
      return try await resource.read(
        Response(
          url: resource.request.url, method: resource.request.method, status: status,
          headers: headers, body: body))
    }
  }

  /// What a transport makes of it.
  func tell(_ receiver: any ExchangeReceiver) {
    switch content {
    case .error(let error): receiver.finished(Self.failure(error))
    case .value(let value):
      let reason = "the stub for this request holds a \(type(of: value)), not a response"
      receiver.finished(LoadError(.invalidRequest, reason, advice: "Stub a response"))
    case .response(let status, let headers, let body):
      receiver.received(ResponseHead(status: status, headers: headers))
      if !body.isEmpty { receiver.received(body) }
      receiver.finished(nil)
    }
  }

  private static func failure(_ error: any Error) -> LoadError {
    error as? LoadError ?? LoadError(.connection, "the stub failed: \(error)", underlying: error)
  }
}
