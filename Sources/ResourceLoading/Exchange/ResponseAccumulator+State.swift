import Foundation

/// A whole response, as it came.
struct AccumulatedResponse: Sendable {
  var head: ResponseHead
  /// Empty if the body went into a sink.
  var body: Data
  /// How many bytes the body has, wherever it went.
  var size: Int
}

/// The rules of taking in a response, without the lock: each event returns what is to be done after
/// unlocking.
struct ResponseAccumulatorState {
  /// Resumed once: settling takes it out. Checking that again would cost an allocation a load.
  typealias Continuation = UnsafeContinuation<AccumulatedResponse, any Error>

  /// What is to be done outside the lock.
  struct Action {
    /// The exchange to stop.
    var stop: (any Exchange)?
    /// The timer that isn't needed any more.
    var timer: DeadlineTimer?
    /// Whether the sink gets nothing more.
    var abandonsSink = false
    /// Whether the chunk is for the sink.
    var isForSink = false
    /// How many bytes of the body have come, for the progress; `nil` if none were taken.
    var received: Int?
    /// Whether the timer came too early, for something has happened since.
    var isEarly = false
    /// The continuation to resume, and the result for it.
    var settlement: (continuation: Continuation, result: Result<AccumulatedResponse, any Error>)?
  }

  private let limits: ExchangeLimits
  private var head: ResponseHead?
  /// Whether the head is that of a redirect, so that its body counts for nothing.
  private var isRedirect = false
  private var body = Data()
  /// Whether room was made for the whole body.
  private var hasRoom = false
  private var size = 0
  /// How many of its bytes count towards the memory of the client.
  private var counted = 0
  /// When the span began in which throughput is measured, and how many bytes there were by then; `nil` before a head.
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
  /// How many bytes of the body there will be; `nil` if that isn't known.
  var expected: Int? { head?.bodySize }

  /// Whether a body goes into the sink, and is still wanted.
  var isWriting: Bool { isForSink && !isSettled }

  /// - Returns: Whether anybody still wants it.
  mutating func receive(_ head: ResponseHead, isRedirect: Bool) -> Bool {
    touch()
    (self.head, self.isRedirect) = (head, isRedirect)
    (body, hasRoom, size, isForSink) = (Data(), false, 0, false)
    uncount()
    span = limits.throughput.map { _ in (limits.clock.now(), 0) }
    return !isSettled
  }

  /// The sink takes the body, or doesn't.
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

  /// Counts what has come towards the memory of the client; `false` if there isn't so much left.
  private mutating func count() -> Bool {
    guard let load = limits.load, size > ExchangeLimits.uncountedBodySize else { return true }
    guard load.takeMemory(size - counted) else { return false }
    counted = size
    return true
  }

  /// What was counted is gone, or will be with the load.
  private mutating func uncount() {
    if counted > 0 { limits.load?.giveBackMemory(counted) }
    counted = 0
  }

  /// Most bodies come in one piece, and the others are told how long they will be: then there is room for the whole
  /// at once, and none that isn't needed. What a server says without sending it takes no memory to speak of.
  private mutating func keep(_ chunk: Data) {
    guard size > chunk.count else {
      body = chunk
      return
    }
    if !hasRoom {
      hasRoom = true
      // What is reserved in data that is there already becomes a quarter more.
      var whole = Data(capacity: max(size, min(expected ?? 0, Self.maximumRoom)))
      whole.append(body)
      body = whole
    }
    body.append(chunk)
  }

  /// How many bytes there is room for before they come, at most.
  private static var maximumRoom: Int { 1 << 20 }

  /// Of an error's body the beginning is enough.
  private mutating func keepBeginning(_ chunk: Data) -> Action {
    body.append(chunk.prefix(ResponseHead.maximumErrorBodySize - body.count))
    guard size >= ResponseHead.maximumErrorBodySize else { return Action() }
    return finish(nil, stopping: true)
  }

  /// Whether the whole body is wanted. That of a redirect is if somebody may decline to follow it.
  private var isAccepted: Bool {
    guard let head, !isRedirect || limits.keepsRedirects else { return false }
    return limits.accepted.contains(head.status)
  }

  mutating func finish(_ failure: LoadError?, stopping: Bool = false) -> Action {
    if let failure { return settle(.failure(failure), stopping: false) }
    guard let head = head.take() else {
      let reason = "the server closed the connection without an answer"
      return settle(.failure(LoadError(.connection, reason)), stopping: false)
    }
    let response = AccumulatedResponse(
      head: head, body: Swift.exchange(&body, with: Data()), size: size)
    return settle(.success(response), stopping: stopping)
  }

  /// Something has happened.
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

  /// Fails the exchange: the response isn't wanted any more, or can't be kept.
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
  /// When to look at the clock next; `nil` for never.
  var nextCheck: Duration? {
    guard !isSettled else { return nil }
    let silent = Self.earlier(limits.idle.map { lastEvent + $0 }, endOfSpan)
    return Self.earlier(silent, limits.deadline)
  }

  private static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }

  /// Before there is a head, the first one that may begin is looked for.
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
    return Action(isEarly: !isSettled)
  }
}
