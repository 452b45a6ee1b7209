public import Foundation
public import ResourceLoading

extension StubLoader {
  /// How a stub loader answers one request.
  public struct Answer: Sendable {
    private enum Content: Sendable {
      case response(status: Status, headers: Headers, body: Data)
      case value(any Sendable)
      case error(any Error)
    }

    private let content: Content
    private var waiting: @Sendable () async throws -> Void = {}

    private init(_ content: Content) { self.content = content }

    /// A response: its status is accepted or not, and its body parsed, as the resource wants it.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The headers.
    ///   - body: The decoded body.
    public static func response(
      status: Status = .ok, headers: Headers = [:], body: Data = Data()
    ) -> Answer {
      Answer(.response(status: status, headers: headers, body: body))
    }

    /// A response with JSON in it.
    ///
    /// - Parameters:
    ///   - text: The JSON.
    ///   - status: The status code.
    public static func json(_ text: String, status: Status = .ok) -> Answer {
      .response(
        status: status, headers: [.contentType: MediaType.json.rawValue], body: Data(text.utf8))
    }

    /// The value itself, without a parser; its type has to be the resource's.
    public static func value(_ value: some Sendable) -> Answer { Answer(.value(value)) }

    /// An error, thrown as it is.
    public static func error(_ error: any Error) -> Answer { Answer(.error(error)) }

    /// The same answer after a while.
    ///
    /// - Parameters:
    ///   - duration: How long the load waits; a cancelled one doesn't.
    ///   - clock: Measures it; a ``ManualClock`` lets no real time pass.
    public func delayed(
      by duration: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> Answer {
      var answer = self
      answer.waiting = { [waiting] in
        try await waiting()
        try await clock.sleep(for: duration)
      }
      return answer
    }

    /// The same answer once a gate is open.
    public func waiting(for gate: Gate) -> Answer {
      var answer = self
      answer.waiting = { [waiting] in
        try await waiting()
        try await gate.opened()
      }
      return answer
    }
  }
}

extension StubLoader.Answer {
  func pause() async throws { try await waiting() }

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
}
