import Foundation
import ResourcePrimitives

struct AccumulatedResponse: Sendable {
  var head: ResponseHead
  /// Empty if the body went into a sink.
  var body: Data
  /// The number of bytes in the body, also if it went into a sink.
  var size: Int
  /// `nil` for none.
  var trailers: Headers?
}

/// The state machine of a ``ResponseAccumulator``: each event returns the actions to perform after
/// unlocking.
struct ResponseAccumulatorState {
  /// The waiting task. Settling removes it, so it is resumed only once. A checked continuation
  /// would cost one allocation per load.
  @safe struct Continuation: Sendable {
    private let continuation: UnsafeContinuation<AccumulatedResponse, any Error>

    init(_ continuation: UnsafeContinuation<AccumulatedResponse, any Error>) {
      unsafe self.continuation = continuation
    }

    func resume(with result: Result<AccumulatedResponse, any Error>) {
      unsafe continuation.resume(with: result)
    }
  }

  struct Action {
    var stop: (any Exchange)?
    /// The exchange whose idle time is requested.
    var asked: (any Exchange)?
    var timer: DeadlineTimer?
    var finishesSink = false
    var abandonsSink = false
    var isForSink = false
    /// The sink's connection has ended, without a failure or with one.
    var endsConnection = false
    var failure: LoadError?
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
  /// The beginning of the span in which throughput is measured, and the number of bytes at that
  /// time; `nil` before a head.
  private var span: (start: Duration, size: Int)?
  private var demand = SinkDemand.nothing
  private var exchange: (any Exchange)?
  private var timer: DeadlineTimer?
  private var lastEvent: Duration
  /// Whether the idle time was requested from the exchange and hasn't arrived.
  private var isAsking = false
  /// What was sent of the request's body; `nil` for nothing.
  private var sending: Sending?
  private var trailers: Headers?
  /// When a redirect is followed although its body hasn't ended; `nil` for any other response.
  private var endOfRedirect: Duration?
  private var continuation: Continuation?
  private var phase = Phase.receiving
  /// Kept only until the waiting task gets it.
  private var result: Result<AccumulatedResponse, any Error>?

  private enum Phase {
    case receiving
    /// The response has ended, and the sink completes the body.
    case finishingSink
    /// The body can be seen at its destination.
    case committed
    case settled
    /// The response is complete, and the sink has the connection.
    case handedOver
  }

  /// What was sent of the request's body.
  private struct Sending {
    var start: Duration
    var count = 0
    var isWhole = false
    /// Whether the exchange knows nothing of what waits in the buffers of the system.
    var isBlind = false
  }

  init(limits: ExchangeLimits) {
    self.limits = limits
    lastEvent = limits.idle == nil ? .zero : limits.clock.now()
  }
}

extension ResponseAccumulatorState {
  /// The expected number of bytes in the body; `nil` if it is unknown.
  var expected: Int? { head?.bodySize }

  var serverTimings: [ServerTiming] { head.map { ServerTiming.all(in: $0.headers) } ?? [] }

  private var isSettled: Bool { phase == .settled || phase == .handedOver }

  /// Whether the sink has the connection, and the load may be over.
  var isHandedOver: Bool { phase == .handedOver }

  /// - Returns: Whether the response is still needed.
  mutating func receive(_ head: ResponseHead, isRedirect: Bool) -> Bool {
    guard phase == .receiving else { return false }
    touch()
    (self.head, self.isRedirect) = (head, isRedirect)
    (body, size, demand) = (Data(), 0, .nothing)
    uncount()
    span = limits.throughput.map { _ in (limits.clock.now(), 0) }
    endOfRedirect =
      isRedirect && !limits.keepsRedirects ? limits.clock.now() + Self.patienceWithRedirects : nil
    return true
  }

  /// How long to wait for the body of a redirect, so that its connection can be reused: 100 ms, as
  /// in OkHttp.
  private static let patienceWithRedirects = Duration.milliseconds(100)

  /// Whether the head has added an earlier time limit.
  var isInHaste: Bool { endOfRedirect != nil && phase == .receiving }

  /// Records that a part of the request's body was sent.
  mutating func send(_ count: Int, of total: Int?) {
    touch()
    var sending = sending ?? Sending(start: lastEvent)
    (sending.count, sending.isWhole) = (count, count == total)
    self.sending = sending
  }

  /// Records the trailers. Returns whether they are those of the sink's body.
  mutating func receive(trailers: Headers) -> Bool {
    self.trailers = trailers
    return phase == .receiving && demand == .body
  }

  /// Records what the sink wants of the response.
  mutating func serve(_ demand: SinkDemand) -> Action {
    self.demand = demand
    guard demand == .connection, phase == .receiving else { return Action() }
    defer { phase = .handedOver }
    return succeed(stopping: false)
  }

  mutating func receive(_ chunk: Data) -> Action {
    guard phase == .receiving else { return Action(isForSink: phase == .handedOver) }
    touch()
    size += chunk.count
    guard isAccepted, demand != .end else { return keepBeginning(chunk) }
    if !isRedirect, let limit = limits.maximumBodySize, size > limit {
      return fail(LoadError(over: limit))
    }
    if demand == .nothing {
      guard count() else {
        return fail(LoadError(bodiesOver: limits.load?.memory.budget?.limit ?? 0))
      }
      keep(chunk)
    }
    return Action(isForSink: demand == .body, received: size)
  }

  /// Counts the received bytes towards the client's memory. Returns `false` if too few are left.
  private mutating func count() -> Bool {
    guard let load = limits.load, size > ExchangeLimits.uncountedBodySize else { return true }
    guard load.memory.take(size - counted) else { return false }
    counted = size
    return true
  }

  /// Resets the count. The load returns the bytes, or already has.
  private mutating func uncount() {
    if counted > 0 { limits.load?.memory.giveBack(counted) }
    counted = 0
  }

  /// Reserves memory for the whole body if its length is known, so that growth doesn't copy it.
  /// Reserved memory costs almost nothing before something is written to it, so a wrong length is
  /// harmless.
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
    return end(stopping: true)
  }

  /// Whether the whole body is needed. A redirect's body is needed if the redirect may be declined.
  private var isAccepted: Bool {
    guard let head, !isRedirect || limits.keepsRedirects else { return false }
    return limits.accepted.contains(head.status)
  }

  /// Handles the end of the exchange.
  mutating func end(_ failure: LoadError?) -> Action {
    guard phase == .receiving else {
      guard phase == .handedOver else { return Action() }
      phase = .settled
      return Action(endsConnection: true, failure: failure)
    }
    if let failure { return settle(.failure(failure), stopping: false) }
    return end(stopping: false)
  }

  /// Handles the end of the response. `stopping` ends the exchange as well.
  private mutating func end(stopping: Bool) -> Action {
    guard demand != .nothing else { return succeed(stopping: stopping) }
    phase = .finishingSink
    return Action(stop: stopping ? exchange : nil, finishesSink: true)
  }

  /// Returns whether the body is still needed. From then on the exchange can't fail anymore, except
  /// by ``finish(_:)``.
  mutating func commit() -> Bool {
    guard phase == .finishingSink else { return false }
    phase = .committed
    return true
  }

  /// Handles the result of the sink.
  mutating func finish(_ result: Result<Void, any Error>) -> Action {
    switch result {
    case .success: succeed(stopping: false)
    case .failure(let error): settle(.failure(error), stopping: true)
    }
  }

  private mutating func succeed(stopping: Bool) -> Action {
    guard let head = head.take() else {
      return settle(.failure(LoadError.unanswered), stopping: false)
    }
    let response = AccumulatedResponse(
      head: head, body: Swift.exchange(&body, with: Data()), size: size, trailers: trailers)
    return settle(.success(response), stopping: stopping)
  }

  /// Records activity, for the idle time.
  mutating func touch() {
    if limits.idle != nil { lastEvent = limits.clock.now() }
  }
}

extension ResponseAccumulatorState {
  mutating func begin(_ exchange: any Exchange) -> Action {
    guard !isSettled else { return Action(stop: phase == .handedOver ? nil : exchange) }
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

  /// Fails the exchange, because the response is no longer needed or can't be stored.
  mutating func fail(_ error: any Error) -> Action {
    guard phase != .committed else { return Action() }
    return settle(.failure(error), stopping: true)
  }

  private mutating func settle(
    _ result: Result<AccumulatedResponse, any Error>, stopping: Bool
  ) -> Action {
    guard !isSettled else { return Action() }
    phase = .settled
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

extension ResponseAccumulatorState {
  /// The time of the next check of the limits; `nil` for none.
  var nextCheck: Duration? {
    guard phase == .receiving else { return phase == .finishingSink ? limits.deadline : nil }
    let idle = isAsking ? nil : endOfIdleness
    return [idle, endOfSpan, endOfRedirect, limits.deadline].compactMap(\.self).min()
  }

  /// When the exchange has been idle for too long; `nil` for no limit.
  private var endOfIdleness: Duration? {
    limits.idle.map { lastEvent + $0.countable + drainTime }
  }

  /// How long the end of the request's body may still be on its way although nothing is left to
  /// send: what the buffers of the two systems hold arrives no faster than the rest did.
  private var drainTime: Duration {
    guard let sending, head == nil, sending.isWhole || sending.isBlind,
      sending.count > Self.bufferSize
    else { return .zero }
    let elapsed = lastEvent - sending.start
    let share = Double(Self.bufferSize) / Double(sending.count - Self.bufferSize)
    return share < 1 ? elapsed * share : elapsed
  }

  /// What Linux buffers of a connection by default: 4 MiB to be sent and 6 MiB to be read
  /// (`tcp_wmem` and `tcp_rmem`).
  private static var bufferSize: Int { 10 << 20 }

  /// The end of the span in which throughput is measured; before a head, the earliest possible end.
  private var endOfSpan: Duration? {
    limits.throughput.map { $0.duration.countable + (span?.start ?? limits.clock.now()) }
  }

  mutating func arm(_ timer: DeadlineTimer) -> Action {
    guard !isSettled else { return Action(timer: timer) }
    defer { self.timer = timer }
    return Action(timer: self.timer)
  }

  mutating func check() -> Action {
    let now = limits.clock.now()
    if let deadline = limits.deadline, now >= deadline {
      return fail(LoadError(tookLongerThan: limits.duration))
    }
    // A slow disk isn't an idle server.
    guard phase == .receiving else { return Action() }
    if let endOfRedirect, now >= endOfRedirect { return end(stopping: true) }
    if let idle = limits.idle, !isAsking, let endOfIdleness, now >= endOfIdleness {
      // The transport measures with the system's clock.
      guard limits.clock.isSystem, let exchange else { return fail(LoadError(idleFor: idle)) }
      isAsking = true
      return Action(asked: exchange)
    }
    if let throughput = limits.throughput, let span,
      now >= span.start + throughput.duration.countable
    {
      let arrived = size - span.size
      guard arrived >= throughput.bytes else { return fail(LoadError(arrived, below: throughput)) }
      self.span = (now, size)
    }
    return Action()
  }
  /// Fails if an exchange was idle for too long; `idleTime` is `nil` if the exchange doesn't know.
  mutating func answer(_ idleTime: Duration?) -> Action {
    isAsking = false
    guard phase == .receiving, let idle = limits.idle else { return Action() }
    let now = limits.clock.now()
    if let idleTime { lastEvent = max(lastEvent, now - idleTime.countable) }
    sending?.isBlind = idleTime == nil
    guard now < endOfIdleness ?? .zero else { return fail(LoadError(idleFor: idle)) }
    // A head may be slow, but not indefinitely.
    if head == nil, span == nil, sending == nil { span = limits.throughput.map { _ in (now, 0) } }
    return Action()
  }
}
