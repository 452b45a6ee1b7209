public import Foundation
public import ResourceLoading
import ResourcePrimitives

/// The answer of a ``StubLoader`` or a ``StubTransport`` to one request.
public struct StubAnswer: Sendable {
  enum Content: Sendable {
    case response(status: Status, headers: Headers, body: Data)
    case value(any Sendable)
    case error(any Error)
    case socket(subprotocol: String?, [StubSocket.Step])
  }

  let content: Content
  private var waiting: (@Sendable () async throws -> Void)?

  private init(_ content: Content) { self.content = content }
}

extension StubAnswer {
  /// A response. Its status is checked and its body parsed like those of a real one.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The headers.
  ///   - body: The decoded body.
  public static func response(
    status: Status = .ok, headers: Headers = [:], body: Data = Data()
  ) -> StubAnswer {
    StubAnswer(.response(status: status, headers: headers, body: body))
  }

  /// A response without a body.
  ///
  /// - Parameter status: The status code.
  public static func status(_ status: Status) -> StubAnswer { .response(status: status) }

  /// A response whose body is JSON.
  ///
  /// - Parameters:
  ///   - text: The JSON.
  ///   - status: The status code.
  ///   - headers: Further headers. One with the name `Content-Type` replaces `application/json`.
  public static func json(
    _ text: String, status: Status = .ok, headers: Headers = [:]
  ) -> StubAnswer {
    var headers = headers
    headers[.contentType] = headers[.contentType] ?? MediaType.json.rawValue
    return .response(status: status, headers: headers, body: Data(text.utf8))
  }

  /// The loaded value itself, without parsing. Its type has to be the resource's. A transport can't
  /// deliver values, and fails instead.
  public static func value(_ value: some Sendable) -> StubAnswer { StubAnswer(.value(value)) }

  /// An error. A `LoadError` is thrown as it is, a `URLError` is converted as in a real load, and
  /// any other error becomes the underlying error of a `LoadError` of kind `connection`. A
  /// `CancellationError` cancels the load.
  public static func error(_ error: any Error) -> StubAnswer { StubAnswer(.error(error)) }

  /// A WebSocket. Its server takes the steps one after another, and records what the client sends
  /// in ``StubTransport/sockets``. It answers pings and the client's close frame, also after the
  /// last step. A loader can't open sockets, and fails instead.
  ///
  /// ```swift
  /// transport.stub(
  ///   "GET /live", .socket(.receive, .send("one"), .drop), .socket(.send("two"), .close()))
  /// ```
  ///
  /// - Parameters:
  ///   - steps: The steps of the server.
  ///   - subprotocol: The subprotocol that the server has chosen; `nil` for none.
  public static func socket(
    _ steps: StubSocket.Step..., subprotocol: String? = nil
  ) -> StubAnswer {
    socket(steps, subprotocol: subprotocol)
  }

  static func socket(_ steps: [StubSocket.Step], subprotocol: String?) -> StubAnswer {
    StubAnswer(.socket(subprotocol: subprotocol, steps))
  }

  /// No answer: the load waits until it is cancelled or times out.
  public static let never = StubAnswer.status(.ok).waiting(for: Gate())
}

extension StubAnswer {
  /// Returns the same answer after a delay.
  ///
  /// - Parameters:
  ///   - duration: The delay. Cancelling the load ends it.
  ///   - clock: The clock of the delay; with a ``ManualClock`` no real time passes.
  public func delayed(
    by duration: Duration, clock: some Clock<Duration> = ContinuousClock()
  ) -> StubAnswer {
    let clock = LoadClock(clock)
    return waiting { try await clock.sleep(duration) }
  }

  /// Returns the same answer, given once a gate is open.
  public func waiting(for gate: Gate) -> StubAnswer {
    waiting { try await gate.opened() }
  }

  private func waiting(_ wait: @escaping @Sendable () async throws -> Void) -> StubAnswer {
    var answer = self
    answer.waiting = { [waiting] in
      try await waiting?()
      try await wait()
    }
    return answer
  }

  func pause() async throws { try await waiting?() }
}

extension StubAnswer {
  /// Returns the value that a loader reads from the answer.
  func resolve<R>(_ resource: Resource<R>, decoder: JSONDecoder?) async throws -> R {
    switch content {
    case .error(let error): throw error is CancellationError ? error : Self.failure(error)
    case .value(let value):
      let request = resource.request
      let made = (R.self as? any ValueWithResponse.Type)?.init(
        value, from: Response(url: request.url, method: request.method))
      guard let value = value as? R ?? made as? R else {
        throw LoadError(
          .invalidRequest,
          "the stub for this request holds a \(type(of: value)), not a \(R.self)",
          advice: "Stub a value of the resource's type, or a response")
      }
      return value
    case .response(let status, let headers, let body):
      return try await resource.read(
        Response(
          url: resource.request.url, method: resource.request.method, status: status,
          headers: headers, body: body), decoder: decoder)
    case .socket: throw Self.isNoResponse("a WebSocket")
    }
  }

  /// Returns the head and the steps of a WebSocket; `nil` if this is something else, or the request
  /// isn't a handshake.
  func socket(for request: WireRequest) -> (head: ResponseHead, steps: [StubSocket.Step])? {
    guard case .socket(let subprotocol, let steps) = content, request.switchesProtocols,
      let key = request.headers["Sec-WebSocket-Key"]
    else { return nil }
    var headers: Headers = [
      "Connection": "Upgrade", "Upgrade": "websocket",
      "Sec-WebSocket-Accept": WebSocketHandshake.acceptance(of: key),
    ]
    headers["Sec-WebSocket-Protocol"] = subprotocol
    return (ResponseHead(status: .switchingProtocols, headers: headers), steps)
  }

  var steps: [AnswerStep] {
    let wait = waiting.map { waiting in
      AnswerStep.wait {
        try await waiting()
        return []
      }
    }
    return (wait.map { [$0] } ?? []) + given
  }

  /// The steps without delays and gates.
  private var given: [AnswerStep] {
    switch content {
    case .error(let error): return [.end(Self.failure(error))]
    case .value(let value): return [.end(Self.isNoResponse("a \(type(of: value))"))]
    case .socket: return [.end(Self.isNoResponse("a WebSocket"))]
    case .response(let status, let headers, let body):
      let chunks = body.isEmpty ? [] : [AnswerStep.chunk(body)]
      return [.head(ResponseHead(status: status, headers: headers))] + chunks + [.end(nil)]
    }
  }

  private static func isNoResponse(_ content: String) -> LoadError {
    LoadError(
      .invalidRequest, "the stub for this request holds \(content), not a response",
      advice: "Stub a response")
  }

  /// Converts an error of a stub to the error of a load.
  static func failure(_ error: any Error) -> LoadError {
    error as? LoadError ?? LoadError(ofURLSession: error)
      ?? LoadError(.connection, "the stub failed: \(error)", underlying: error)
  }
}
