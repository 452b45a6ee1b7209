public import ResourceLoading
import Synchronization

/// A transport without a network, to which a client sends through all of its middleware, and which gives the answers of
/// a test.
///
/// ```swift
/// let transport = StubTransport()
/// transport.stub("GET /users/1", .status(503), .status(503), .json(#"{"login": "octocat"}"#))
/// let client = Client(baseURL: URL(string: "https://api.example.org")!) {
///   $0.transport = transport
/// }
/// ```
///
/// It records the requests that were sent and cancelled, as a server would see them.
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

  /// Makes a transport without answers: every request fails until it is stubbed.
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

// MARK: - Answers

extension StubTransport {
  /// Sets the answers to requests. A later call for the same pattern replaces the earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request's URL, `"/users/1"`, with or without a method before it,
  ///     `"GET /users/1"`. A `*` matches one segment, `"/repos/*/issues"`. Of several matching patterns, one without stars
  ///     is preferred, then one with a method, then the one whose first star comes last. `"*"`, or `"GET *"`, matches
  ///     requests that no other pattern matches.
  ///   - first: The first answer.
  ///   - further: The following answers; the last one is repeated.
  public func stub(_ pattern: String, _ first: StubAnswer, _ further: StubAnswer...) {
    state.update { state in
      state.table.stub(pattern, ([first] + further).map { answer in { _ in answer } })
    }
  }

  /// Sets a closure that answers requests, depending on their credentials for example. A later call for the same pattern
  /// replaces the earlier one.
  ///
  /// - Parameters:
  ///   - pattern: The path of the request's URL, with or without a method before it, or `"*"`.
  ///   - answer: Called for each request, on any thread.
  public func stub(_ pattern: String, _ answer: @escaping @Sendable (WireRequest) -> StubAnswer) {
    state.update { $0.table.stub(pattern, [answer]) }
  }
}

// MARK: - Requests

extension StubTransport {
  /// All requests in order, including those that failed or were cancelled.
  public var requests: [WireRequest] { state.value.table.requests }

  /// The requests that were cancelled before their answer was complete, in the order of cancelling.
  public var cancellations: [WireRequest] { state.value.cancelled }

  /// The number of requests that wait for their answers now.
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

/// One request to a stub transport, which ends once, by its answer or by being cancelled.
final class StubExchange: Exchange {
  enum Outcome {
    case answered
    case cancelled
  }

  private let answer: StubAnswer
  private let receiver: any ExchangeReceiver
  private let ended: @Sendable (Outcome) -> Void
  private let state = Mutex(State())

  private struct State {
    var task: Task<Void, Never>?
    var hasEnded = false
  }

  /// - Parameter ended: Called once with the outcome, before the receiver is called.
  init(
    _ answer: StubAnswer, receiver: any ExchangeReceiver,
    ended: @escaping @Sendable (Outcome) -> Void
  ) {
    self.answer = answer
    self.receiver = receiver
    self.ended = ended
  }

  /// Reports an answer without a delay before it returns; an answer with one is waiting then, so that a clock or a gate
  /// has it before the time limits of the load.
  func start() {
    guard answer.waits else { return tell(answer) }
    let task = Task.startingHere { self.tell(await self.settledAnswer()) }
    let isOver = state.withLock { state in
      if !state.hasEnded { state.task = task }
      return state.hasEnded
    }
    if isOver { task.cancel() }
  }

  private func tell(_ answer: StubAnswer) {
    if end(.answered) { answer.tell(receiver) }
  }

  /// Returns the answer after its delay, or the error of the clock.
  private func settledAnswer() async -> StubAnswer {
    do {
      try await answer.pause()
      return answer
    } catch {
      return .error(error)
    }
  }

  func cancel() {
    let task = state.withLock { $0.task }
    if end(.cancelled) { task?.cancel() }
  }

  private func end(_ outcome: Outcome) -> Bool {
    let isFirst = state.withLock { state in
      defer { (state.hasEnded, state.task) = (true, nil) }
      return !state.hasEnded
    }
    if isFirst { ended(outcome) }
    return isFirst
  }
}
