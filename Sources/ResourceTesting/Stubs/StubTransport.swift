public import ResourceLoading

/// A transport without a network: a client sends to it through all of its middleware, and it answers with
/// what a test has put into it.
///
/// ```swift
/// let transport = StubTransport()
/// transport.stub("GET /users/1", .status(503), .status(503), .json(#"{"login": "octocat"}"#))
/// let client = Client(baseURL: URL(string: "https://api.example.org")!) {
///   $0.transport = transport
/// }
/// ```
///
/// It remembers what was sent to it and what of that was cancelled, so that a test sees what a server would
/// have seen.
///
/// All members may be used from any thread.
public final class StubTransport: Transport {
  private let state = Observed(State())

  struct State: Sendable {
    var table = StubTable<WireRequest>()
    var cancelled: [WireRequest] = []
    var inFlight = 0
    var peak = 0
  }

  /// Makes a transport that answers every request with an error until it has been told better.
  public init() {}

  /// Starts to answer as the test has said.
  ///
  /// A request that nothing was said about fails with a `LoadError` of kind `invalidRequest`.
  public func start(
    _ request: WireRequest, receiver: any ExchangeReceiver
  ) -> any Exchange {
    let path = request.url.stubPath
    let responder = state.update { state in
      state.inFlight += 1
      state.peak = max(state.peak, state.inFlight)
      return state.table.ask(request, request.method, path)
    }
    let unknown = StubAnswer.error(
      LoadError(unstubbed: request.method, path, by: "transport"))
    let exchange = StubExchange(responder?(request) ?? unknown, receiver: receiver) { outcome in
      self.note(outcome, of: request)
    }
    exchange.start()
    return exchange
  }

  private func note(_ outcome: StubExchange.Outcome, of request: WireRequest) {
    state.update { state in
      state.inFlight -= 1
      if outcome == .cancelled { state.cancelled.append(request) }
    }
  }
}

// MARK: - What is answered

extension StubTransport {
  /// Says how requests are answered. A later call for the same pattern replaces the earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request's URL, `"/users/1"`, with or without a method before it,
  ///     `"GET /users/1"`. A `*` stands for one segment, `"/repos/*/issues"`; of several patterns that fit, one
  ///     without stars counts first, then one with a method, then the one whose first star comes last. `"*"`
  ///     answers whatever no other pattern does.
  ///   - first: The first answer.
  ///   - further: The answers after it; the last one is given from then on.
  public func stub(_ pattern: String, _ first: StubAnswer, _ further: StubAnswer...) {
    state.update { state in
      state.table.stub(pattern, ([first] + further).map { answer in { _ in answer } })
    }
  }

  /// Says how requests are answered that need looking at, for their credentials, say. A later call for the
  /// same pattern replaces the earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request's URL, with or without a method before it, or `"*"`.
  ///   - answer: Is called for each request, on any thread.
  public func stub(_ pattern: String, _ answer: @escaping @Sendable (WireRequest) -> StubAnswer) {
    state.update { $0.table.stub(pattern, [answer]) }
  }
}

// MARK: - What was sent

extension StubTransport {
  /// What was sent, in order, the requests that failed or were cancelled included.
  public var requests: [WireRequest] { state.value.table.requests }

  /// What was cancelled before its answer was whole, in the order of cancelling.
  public var cancellations: [WireRequest] { state.value.cancelled }

  /// How many requests wait for their answers now.
  public var inFlight: Int { state.value.inFlight }

  /// How many requests have waited for their answers at once, at most.
  public var peakInFlight: Int { state.value.peak }

  /// Suspends until at least `count` requests were sent, counted from the start.
  ///
  /// - Returns: The requests there are then.
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout`` if that takes longer than a minute.
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
  /// - Returns: The cancelled requests there are then.
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout`` if that takes longer than a minute.
  @discardableResult
  public func waitForCancellations(count: Int) async throws -> [WireRequest] {
    try await state.wait { state in
      "\(count) cancellations: \(state.cancelled.count) of \(state.table.requests.count) requests were cancelled"
    } until: {
      $0.cancelled.count >= count
    }.cancelled
  }

  /// Suspends until no request waits for its answer: until all were answered or cancelled.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout`` if that takes longer than a minute.
  public func waitUntilIdle() async throws {
    _ = try await state.wait { state in
      "the transport to be idle: \(state.inFlight) of \(state.table.requests.count) requests aren't answered"
    } until: {
      $0.inFlight == 0
    }
  }
}
