import Foundation

/// A whole response, as it came.
struct CollectedResponse: Sendable {
  var head: ResponseHead
  var body: Data
  var approval: RedirectApproval?
}

/// The rules of collecting a response, without the lock: each event returns what is to be done after
/// unlocking.
struct CollectorState {
  typealias Continuation = CheckedContinuation<CollectedResponse, any Error>

  /// What is to be done outside the lock.
  struct Action {
    /// The exchange to stop.
    var stop: (any Exchange)?
    /// The timer that isn't needed any more.
    var timer: DeadlineTimer?
    /// Whom to wake, and with what.
    var settlement: (continuation: Continuation, result: Result<CollectedResponse, any Error>)?
  }

  private let limits: ExchangeLimits
  private var head: ResponseHead?
  private var approval: RedirectApproval?
  private var body = Data()
  private var exchange: (any Exchange)?
  private var timer: DeadlineTimer?
  private var continuation: Continuation?
  private var isSettled = false
  /// Kept only until somebody waits for it.
  private var result: Result<CollectedResponse, any Error>?

  init(limits: ExchangeLimits) { self.limits = limits }
}

// MARK: - What the transport tells

extension CollectorState {
  mutating func receive(_ head: ResponseHead) {
    self.head = head
    body = Data()
  }

  mutating func receive(_ approval: @escaping RedirectApproval) {
    if !isSettled { self.approval = approval }
  }

  mutating func receive(_ chunk: Data) -> Action {
    guard !isSettled else { return Action() }
    guard body.count + chunk.count <= limits.maximumBodySize else {
      return settle(.failure(tooLarge), stopping: true)
    }
    if body.isEmpty { body = chunk } else { body.append(chunk) }
    return Action()
  }

  mutating func finish(_ failure: LoadError?) -> Action {
    if let failure { return settle(.failure(failure), stopping: false) }
    guard let head else {
      let reason = "the server closed the connection without an answer"
      return settle(.failure(LoadError(.connection, reason)), stopping: false)
    }
    let response = CollectedResponse(head: head, body: body, approval: approval)
    return settle(.success(response), stopping: false)
  }

  private var tooLarge: LoadError {
    LoadError(
      .tooLarge, "the body has more than \(limits.maximumBodySize) bytes",
      advice: "Raise options.maximumBodySize if that much is expected")
  }
}

// MARK: - What the waiting side does

extension CollectorState {
  mutating func begin(_ exchange: any Exchange) -> Action {
    guard !isSettled else { return Action(stop: exchange) }
    self.exchange = exchange
    return Action()
  }

  mutating func arm(_ timer: DeadlineTimer) -> Action {
    guard !isSettled else { return Action(timer: timer) }
    self.timer = timer
    return Action()
  }

  mutating func wait(_ continuation: Continuation) -> Action {
    guard let result else {
      self.continuation = continuation
      return Action()
    }
    self.result = nil
    return Action(settlement: (continuation, result))
  }

  mutating func cancel() -> Action {
    settle(.failure(CancellationError()), stopping: true)
  }

  private mutating func settle(
    _ result: Result<CollectedResponse, any Error>, stopping: Bool
  ) -> Action {
    guard !isSettled else { return Action() }
    isSettled = true
    if continuation == nil { self.result = result }
    defer { letGo() }
    return Action(
      stop: stopping ? exchange : nil, timer: timer, settlement: continuation.map { ($0, result) })
  }

  private mutating func letGo() {
    exchange = nil
    timer = nil
    continuation = nil
    approval = nil
    body = Data()
  }
}

// MARK: - Time

extension CollectorState {
  mutating func expire() -> Action {
    settle(.failure(LoadError(tookLongerThan: limits.duration)), stopping: true)
  }
}

extension LoadError {
  /// A load, or one attempt of it, that took longer than it may.
  init(tookLongerThan duration: Duration?) {
    let limit = duration.map { " of \($0)" } ?? ""
    self.init(
      .timedOut, "the load took longer than its limit\(limit)",
      advice: "Raise options.timeout if the server may take that long")
  }
}
