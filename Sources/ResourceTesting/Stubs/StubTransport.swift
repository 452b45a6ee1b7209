public import ResourceLoading
import Synchronization

/// A transport without a network. A client sends requests to it through all of its middleware, and
/// it gives the answers that a test has set.
///
/// ```swift
/// let transport = StubTransport()
/// transport.stub("GET /users/1", .status(503), .status(503), .json(#"{"login": "octocat"}"#))
/// let client = Client(baseURL: "https://api.example.org") {
///   $0.transport = transport
/// }
/// ```
///
/// It records the requests that were sent and those that were cancelled, as a server would see
/// them, and the messages of WebSockets, which ``StubAnswer/socket(_:subprotocol:)`` opens.
///
/// All members may be used from any thread.
public final class StubTransport: Transport {
  private let state = Observed(State())

  struct State: Sendable {
    var table = StubTable<WireRequest>()
    var cancelled: [WireRequest] = []
    var inFlight = 0
    var peak = 0
    var sockets: [StubSocket] = []
  }

  /// Creates a transport without answers. Every request fails until it is stubbed.
  public init() {}

  /// Starts to answer a request.
  ///
  /// A request that isn't stubbed fails with a `LoadError` of kind `invalidRequest`.
  public func start(
    _ request: WireRequest, receiver: any ExchangeReceiver
  ) -> any Exchange {
    let path = request.url.stubPath
    let responder = state.update { state in
      state.inFlight += 1
      state.peak = max(state.peak, state.inFlight)
      return state.table.ask(request, request.method, path)
    }
    let answer =
      responder?(request)
      ?? .error(state.update { $0.table.error(for: request.method, path, by: "transport") })
    if let (head, steps) = answer.socket(for: request) {
      let exchange = StubSocketExchange(request, receiver, log: state)
      exchange.play(head, steps, after: answer.pause)
      return exchange
    }
    let exchange = AnsweredExchange(answer.steps, receiver) { self.note($0, of: request) }
    exchange.play()
    return exchange
  }

  /// `true`.
  public var canSwitchProtocols: Bool { true }

  private func note(_ outcome: AnsweredExchange.Outcome, of request: WireRequest) {
    state.update { state in
      state.inFlight -= 1
      if outcome == .cancelled { state.cancelled.append(request) }
    }
  }
}

extension StubTransport.State {
  /// Records that a handshake was answered.
  ///
  /// - Returns: The index of the socket.
  mutating func open(_ request: WireRequest) -> Int {
    inFlight -= 1
    sockets.append(StubSocket(request))
    return sockets.count - 1
  }

  /// Records the end of a socket, or of a handshake that wasn't answered, which has no index.
  mutating func end(_ request: WireRequest, _ index: Int?, wasCancelled: Bool) {
    if let index {
      sockets[index].isOpen = false
    } else {
      inFlight -= 1
      if wasCancelled { cancelled.append(request) }
    }
  }
}

extension StubTransport {
  /// Sets the answers to requests. A later call for the same pattern replaces the earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request's URL, `"/users/1"`, with or without a method before it,
  ///     `"GET /users/1"`. A `*` matches one segment, `"/repos/*/issues"`. Of several matching
  ///     patterns, one without stars is preferred, then one with a method, then the one whose first
  ///     star comes last. `"*"`, or `"GET *"`, matches requests that no other pattern matches.
  ///   - first: The first answer.
  ///   - further: The following answers; the last one is repeated.
  public func stub(_ pattern: String, _ first: StubAnswer, _ further: StubAnswer...) {
    state.update { state in
      state.table.stub(pattern, ([first] + further).map { answer in { _ in answer } })
    }
  }

  /// Sets a closure that answers requests, for example depending on their credentials. A later call
  /// for the same pattern replaces the earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request's URL, with or without a method before it, or `"*"`.
  ///   - answer: Called for each request, on any thread.
  public func stub(_ pattern: String, _ answer: @escaping @Sendable (WireRequest) -> StubAnswer) {
    state.update { $0.table.stub(pattern, [answer]) }
  }
}

extension StubTransport {
  /// All requests in order, including those that failed or were cancelled.
  public var requests: [WireRequest] { state.value.table.requests }

  /// The requests that were cancelled before their answer was complete, in the order of cancelling.
  public var cancellations: [WireRequest] { state.value.cancelled }

  /// The number of requests that are waiting for their answers.
  public var inFlight: Int { state.value.inFlight }

  /// The most requests that have waited for their answers at once.
  public var peakInFlight: Int { state.value.peak }

  /// Suspends until at least `count` requests were sent, counted from the start.
  ///
  /// - Returns: All requests up to then.
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout`` after a minute.
  @discardableResult
  public func waitForRequests(count: Int) async throws -> [WireRequest] {
    try await state.wait { state in
      "\(count) requests: \(state.table.requests.count) were sent"
    } until: {
      $0.table.requests.count >= count
    }.table.requests
  }

  /// Suspends until at least `count` requests were cancelled, counted from the start.
  ///
  /// - Returns: All cancelled requests up to then.
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout`` after a minute.
  @discardableResult
  public func waitForCancellations(count: Int) async throws -> [WireRequest] {
    try await state.wait { state in
      "\(count) cancellations: \(state.cancelled.count) of \(state.table.requests.count) requests were cancelled"
    } until: {
      $0.cancelled.count >= count
    }.cancelled
  }

  /// Suspends until all requests were answered or cancelled.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout`` after a minute.
  public func waitUntilIdle() async throws {
    _ = try await state.wait { state in
      "the transport to be idle: \(state.inFlight) of \(state.table.requests.count) requests aren't answered"
    } until: {
      $0.inFlight == 0
    }
  }
}

extension StubTransport {
  /// The WebSockets that were opened, in the order of their handshakes.
  public var sockets: [StubSocket] { state.value.sockets }

  /// Suspends until clients have sent at least `count` messages over WebSockets, counted from the
  /// start.
  ///
  /// - Returns: All messages up to then, those of each socket together.
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout`` after a minute.
  @discardableResult
  public func waitForMessages(count: Int) async throws -> [WebSocket.Message] {
    try await state.wait { state in
      "\(count) messages: \(state.messages.count) were sent"
    } until: {
      $0.messages.count >= count
    }.messages
  }
}

extension StubTransport.State {
  fileprivate var messages: [WebSocket.Message] { sockets.flatMap(\.messages) }
}
