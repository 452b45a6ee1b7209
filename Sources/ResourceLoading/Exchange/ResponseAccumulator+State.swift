import Foundation

/// A complete response.
struct AccumulatedResponse: Sendable {
  var head: ResponseHead
  /// Empty if the body went into a sink.
  var body: Data
  /// The number of bytes in the body, also if it went into a sink.
  var size: Int
}

/// The state machine of a ``ResponseAccumulator``: each event returns the actions to perform after unlocking.
struct ResponseAccumulatorState {
  /// Resumed once: settling takes it out. Checking that again would cost an allocation a load.
  typealias Continuation = UnsafeContinuation<AccumulatedResponse, any Error>

  /// The actions to perform outside of the lock.
  struct Action {
    /// The exchange to stop.
    var stop: (any Exchange)?
    /// The timer to cancel.
    var timer: DeadlineTimer?
    /// Whether to abandon the sink.
    var abandonsSink = false
    /// Whether to write the chunk into the sink.
    var isForSink = false
    /// The number of bytes of the body so far, for the progress; `nil` if the chunk wasn't used.
    var received: Int?
    /// The continuation to resume, and the result for it.
    var settlement: (continuation: Continuation, result: Result<AccumulatedResponse, any Error>)?
  }

  private let limits: ExchangeLimits
  private var head: ResponseHead?
  /// Whether the head is that of a redirect, whose body is ignored.
  private var isRedirect = false
  private var body = Data()
  private var size = 0
  /// The number of its bytes that count towards the client's memory.
  private var counted = 0
  /// The beginning of the span in which throughput is measured, and the number of bytes at that time; `nil` before a head.
  private var span: (start: Duration, size: Int)?
  private var isForSink = false
  private var exchange: (any Exchange)?
  private var timer: DeadlineTimer?
  private var lastEvent: Duration
  private var continuation: Continuation?
  private var isSettled = false
  /// Kept only until the waiting side asks for it.
  private var result: Result<AccumulatedResponse, any Error>?

  init(limits: ExchangeLimits) {
    self.limits = limits
    lastEvent = limits.idle == nil ? .zero : limits.clock.now()
  }
}

// MARK: - What the transport tells

extension ResponseAccumulatorState {
  /// The expected number of bytes in the body; `nil` if it isn't known.
  var expected: Int? { head?.bodySize }

  /// What the server says that it spent its time on.
  var serverTimings: [ServerTiming] { head.map { ServerTiming.all(in: $0.headers) } ?? [] }

  /// Whether the body goes into the sink and is still needed.
  var isWriting: Bool { isForSink && !isSettled }

  /// - Returns: Whether the response is still needed.
  mutating func receive(_ head: ResponseHead, isRedirect: Bool) -> Bool {
    touch()
    (self.head, self.isRedirect) = (head, isRedirect)
    (body, size, isForSink) = (Data(), 0, false)
    uncount()
    span = limits.throughput.map { _ in (limits.clock.now(), 0) }
    return !isSettled
  }

  /// Records whether the sink takes the body.
  mutating func write(_ isForSink: Bool) { self.isForSink = isForSink }

  mutating func receive(_ chunk: Data) -> Action {
    guard !isSettled else { return Action() }
    touch()
    size += chunk.count
    guard isAccepted else { return keepBeginning(chunk) }
    if !isRedirect, let limit = limits.maximumBodySize, size > limit {
      return fail(LoadError(over: limit))
    }
    if !isForSink {
      guard count() else { return fail(LoadError(bodiesOver: limits.load?.memory?.limit ?? 0)) }
      keep(chunk)
    }
    return Action(isForSink: isForSink, received: size)
  }

  /// Counts the received bytes towards the client's memory. Returns `false` if there aren't so many left.
  private mutating func count() -> Bool {
    guard let load = limits.load, size > ExchangeLimits.uncountedBodySize else { return true }
    guard load.takeMemory(size - counted) else { return false }
    counted = size
    return true
  }

  /// Forgets what was counted: it has been given back, or will be with the load.
  private mutating func uncount() {
    if counted > 0 { limits.load?.giveBackMemory(counted) }
    counted = 0
  }

  /// Reserves memory for the whole body if its length is known, so that it isn't copied as it grows. Memory that was
  /// reserved and isn't written to costs nearly nothing, so a wrong length does no harm.
  private mutating func keep(_ chunk: Data) {
    guard body.isEmpty else { return body.append(chunk) }
    let room = min(expected ?? 0, Self.maximumRoom)
    guard room > chunk.count else {
      body = chunk
      return
    }
    body = Data(capacity: room)
    body.append(chunk)
  }

  /// The maximum number of bytes that are reserved in advance.
  private static var maximumRoom: Int { 1 << 20 }

  /// Truncates the body of an error.
  private mutating func keepBeginning(_ chunk: Data) -> Action {
    body.append(chunk.prefix(ResponseHead.maximumErrorBodySize - body.count))
    guard size >= ResponseHead.maximumErrorBodySize else { return Action() }
    return finish(nil, stopping: true)
  }

  /// Whether the whole body is needed; that of a redirect is, if the redirect may be declined.
  private var isAccepted: Bool {
    guard let head, !isRedirect || limits.keepsRedirects else { return false }
    return limits.accepted.contains(head.status)
  }

  mutating func finish(_ failure: LoadError?, stopping: Bool = false) -> Action {
    if let failure { return settle(.failure(failure), stopping: false) }
    guard let head = head.take() else {
      return settle(.failure(LoadError.unanswered), stopping: false)
    }
    let response = AccumulatedResponse(
      head: head, body: Swift.exchange(&body, with: Data()), size: size)
    return settle(.success(response), stopping: stopping)
  }

  /// Records activity, for the idle time.
  mutating func touch() {
    if limits.idle != nil { lastEvent = limits.clock.now() }
  }
}

// MARK: - What the waiting side does

extension ResponseAccumulatorState {
  mutating func begin(_ exchange: any Exchange) -> Action {
    guard !isSettled else { return Action(stop: exchange) }
    self.exchange = exchange
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

  /// Fails the exchange, because the response isn't needed any more or can't be stored.
  mutating func fail(_ error: any Error) -> Action {
    settle(.failure(error), stopping: true)
  }

  private mutating func settle(
    _ result: Result<AccumulatedResponse, any Error>, stopping: Bool
  ) -> Action {
    guard !isSettled else { return Action() }
    isSettled = true
    if continuation == nil { self.result = result }
    var action = Action(stop: stopping ? exchange : nil, timer: timer)
    action.settlement = continuation.map { ($0, result) }
    if case .failure = result {
      action.abandonsSink = true
      uncount()
    }
    (exchange, timer, continuation, body) = (nil, nil, nil, Data())
    return action
  }
}

// MARK: - Time

extension ResponseAccumulatorState {
  /// The time of the next check of the limits; `nil` for none.
  var nextCheck: Duration? {
    guard !isSettled else { return nil }
    let silent = Self.earlier(limits.idle.map { lastEvent + $0 }, endOfSpan)
    return Self.earlier(silent, limits.deadline)
  }

  private static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }

  /// The end of the span in which throughput is measured; before a head, the earliest one that is possible.
  private var endOfSpan: Duration? {
    limits.throughput.map { $0.duration + (span?.start ?? limits.clock.now()) }
  }

  mutating func arm(_ timer: DeadlineTimer) -> Action {
    guard !isSettled else { return Action(timer: timer) }
    self.timer = timer
    return Action()
  }

  /// Fails if a limit has passed.
  mutating func check() -> Action {
    let now = limits.clock.now()
    if let deadline = limits.deadline, now >= deadline {
      return fail(LoadError(tookLongerThan: limits.duration))
    }
    if let idle = limits.idle, now >= lastEvent + idle { return fail(LoadError(idleFor: idle)) }
    if let throughput = limits.throughput, let span, now >= span.start + throughput.duration {
      let arrived = size - span.size
      guard arrived >= throughput.bytes else { return fail(LoadError(arrived, below: throughput)) }
      self.span = (now, size)
    }
    return Action()
  }
}
