import Foundation
import ResourcePrimitives

/// The state machine of a connection: each event returns the actions to perform after unlocking.
struct WebSocketMachine {
  typealias Reader = CheckedContinuation<WebSocket.Message?, any Error>
  /// Is called once: with the error, or `nil` if there was none.
  typealias Waiter = @Sendable ((any Error)?) -> Void

  /// The actions to perform outside of the lock.
  struct Action {
    /// Resumes those that wait.
    var wakes: [@Sendable () -> Void] = []
    /// Whether there are bytes to send, and nobody else sends them.
    var sends = false
    /// Whether the time to close begins to run.
    var closes = false
    /// Whether the connection is over.
    var ends = false
  }

  /// Something to send.
  struct Frame {
    let bytes: Data
    let origin: Origin

    enum Origin {
      case message(ticket: Int)
      case pong
      case other
    }
  }

  /// The number of bytes in unread messages above which no more are read.
  private static let highWater = 256 << 10
  /// The number of pongs that may wait until the connection takes them.
  private static let maximumPongs = 64

  private var input: WebSocketReader
  private var output: WebSocketWriter
  private var messages = FairQueue<WebSocket.Message>()
  private var unread = 0
  private var reader: Reader?
  /// The task that reads the connection, while it waits for messages to be read.
  private var pump: CheckedContinuation<Void, Never>?

  private var frames = FairQueue<Frame>()
  private var isSending = false
  private var waiters: [Int: Waiter] = [:]
  /// The messages that the connection hasn't taken, in their order.
  private var untaken = FairQueue<(ticket: Int, message: WebSocket.Message)>()
  /// The pings that wait for their pongs, in their order.
  private var pings: [(ticket: Int, payload: [UInt8])] = []
  private var pongsUnderWay = 0
  /// The payload of the last ping, if it has to wait because too many pongs aren't taken: a server
  /// that only sends pings doesn't fill the memory (RFC 6455 section 5.5.3).
  private var nextPong: [UInt8]?

  private var enders: [Int] = []
  private var closers: [CheckedContinuation<Void, Never>] = []
  private var hasSentClose = false
  private(set) var isOver = false
  /// Why the connection failed; `nil` if it was closed as it should be.
  private var failure: (any Error)?
  private var hasReportedFailure = false
  /// Why the connection is gone, while what it has brought is still to be read; `nil` if it isn't.
  private var cut: (any Error)?
  /// What the other side has said when it closed the socket.
  private(set) var closure: WebSocket.Closure?
  private(set) var progress = Progress()

  /// What has happened so far.
  struct Progress {
    /// The number of pieces that have arrived.
    var arrivals = 0
    /// The number of frames that the connection has taken.
    var departures = 0
    /// The number of messages that have been read.
    var reads = 0
    /// The number of callers that have waited.
    var tickets = 0
  }

  init(_ options: WebSocket.Options, _ compression: WebSocketCompression?) {
    input = WebSocketReader(
      limit: options.maximumMessageSize,
      inflater: compression.flatMap { WebSocketInflater($0) })
    output = WebSocketWriter(deflater: compression.flatMap { WebSocketDeflater($0) })
  }
}

// MARK: - What arrives

extension WebSocketMachine {
  mutating func receive(_ piece: Data) -> Action {
    progress.arrivals += 1
    // What follows a close frame is ignored (RFC 6455 section 5.5.1).
    guard !isOver, closure == nil, failure == nil else { return Action() }
    var events: [WebSocketReader.Event] = []
    var violation: WebSocketViolation?
    do throws(WebSocketViolation) {
      try input.read(piece, into: &events)
    } catch {
      violation = error
    }
    var action = Action()
    for event in events where closure == nil { take(event, &action) }
    if let violation, closure == nil { fail(violation, &action) }
    return action
  }

  private mutating func take(_ event: WebSocketReader.Event, _ action: inout Action) {
    switch event {
    case .message(let message): deliver(message, &action)
    case .ping(let payload): answer(payload, &action)
    case .pong(let payload):
      // The other side may answer only the last of several pings.
      guard let last = pings.lastIndex(where: { $0.payload == payload }) else { return }
      for ping in pings[...last] { wake(ping.ticket, with: nil, &action) }
      pings.removeSubrange(...last)
    case .close(let closure):
      self.closure = closure
      close(WebSocket.Closure(code: closure.code), &action)
    }
  }

  private mutating func deliver(_ message: WebSocket.Message, _ action: inout Action) {
    if let reader = reader.take() {
      action.wakes.append { reader.resume(returning: message) }
      return
    }
    // While the socket is closing, the connection is read to its end, but nobody need read the
    // messages.
    guard !hasSentClose || unread <= Self.highWater else { return }
    messages.append(message)
    unread += message.size
  }

  private mutating func answer(_ payload: [UInt8], _ action: inout Action) {
    guard !hasSentClose else { return }
    guard pongsUnderWay < Self.maximumPongs else {
      nextPong = payload
      return
    }
    pongsUnderWay += 1
    send(Frame(bytes: output.control(.pong, payload), origin: .pong), &action)
  }

  /// Closes the socket because of what the other side has sent.
  private mutating func fail(_ violation: WebSocketViolation, _ action: inout Action) {
    failure = LoadError(
      violation.code == .messageTooBig ? .tooLarge : .connection,
      "the server broke the WebSocket protocol: \(violation.reason)")
    close(WebSocket.Closure(code: violation.code, reason: violation.reason), &action)
  }

  /// Whether the task that reads the connection has to wait.
  var isFull: Bool { unread > Self.highWater && !isOver && !hasSentClose }

  /// Waits until messages are read.
  mutating func wait(_ pump: CheckedContinuation<Void, Never>) -> Action {
    guard isFull else { return Action(wakes: [{ pump.resume() }]) }
    self.pump = pump
    return releasing()
  }
}

// MARK: - What is read

extension WebSocketMachine {
  mutating func read(_ reader: Reader) -> Action {
    if let message = messages.popFirst() {
      progress.reads += 1
      unread -= message.size
      var action = Action(wakes: [{ reader.resume(returning: message) }])
      if !isFull, let pump = pump.take() { action.wakes.append { pump.resume() } }
      return action
    }
    guard !isOver else { return Action(wakes: [end(reader)]) }
    precondition(self.reader == nil, "a connection has one reader at a time")
    self.reader = reader
    return Action()
  }

  /// Lets the reader go; the connection stays open.
  mutating func cancelReader() -> Action {
    guard let reader = reader.take() else { return Action() }
    return Action(wakes: [{ reader.resume(throwing: CancellationError()) }])
  }

  /// Gives the failure once, and the end from then on.
  private mutating func end(_ reader: Reader) -> @Sendable () -> Void {
    guard let failure, !hasReportedFailure else { return { reader.resume(returning: nil) } }
    hasReportedFailure = true
    return { reader.resume(throwing: failure) }
  }
}

// MARK: - Those that wait

extension WebSocketMachine {
  /// Returns the identification of a caller that is about to wait.
  mutating func ticket() -> Int {
    progress.tickets += 1
    return progress.tickets
  }

  /// Lets a caller go that waits; what it has sent is sent all the same.
  mutating func cancel(_ ticket: Int) -> Action {
    var action = Action()
    pings.removeAll { $0.ticket == ticket }
    enders.removeAll { $0 == ticket }
    wake(ticket, with: CancellationError(), &action)
    return action
  }

  /// Has a caller wait for the end.
  mutating func waitForEnd(as ticket: Int, _ waiter: @escaping Waiter) -> Action {
    guard !isOver else { return Action(wakes: [{ [failure] in waiter(failure) }]) }
    waiters[ticket] = waiter
    enders.append(ticket)
    return releasing()
  }

  private mutating func wake(_ ticket: Int, with error: (any Error)?, _ action: inout Action) {
    guard let waiter = waiters.removeValue(forKey: ticket) else { return }
    action.wakes.append { waiter(error) }
  }
}

// MARK: - What is sent

extension WebSocketMachine {
  /// Sends a message; the caller waits until the connection has taken it.
  mutating func send(
    _ message: WebSocket.Message, as ticket: Int, _ waiter: @escaping Waiter
  ) -> Action {
    guard !isOver, !hasSentClose else { return refuse(waiter) }
    waiters[ticket] = waiter
    untaken.append((ticket, message))
    var action = Action()
    send(Frame(bytes: output.frame(message), origin: .message(ticket: ticket)), &action)
    return action
  }

  /// Sends a ping.
  ///
  /// - Parameter waiter: Waits for the pong; `nil` if nobody does.
  mutating func ping(as ticket: Int, _ waiter: Waiter?) -> Action {
    guard !isOver, !hasSentClose else { return waiter.map(refuse) ?? Action() }
    let payload = Array("\(ticket)".utf8)
    if let waiter {
      waiters[ticket] = waiter
      pings.append((ticket, payload))
    }
    var action = Action()
    send(Frame(bytes: output.control(.ping, payload), origin: .other), &action)
    return releasing(action)
  }

  private func refuse(_ waiter: @escaping Waiter) -> Action {
    let error = closedError
    return Action(wakes: [{ waiter(error) }])
  }

  private mutating func send(_ frame: Frame, _ action: inout Action) {
    frames.append(frame)
    if !isSending { (isSending, action.sends) = (true, true) }
  }

  /// Returns the next bytes for the connection, in their order; `nil` if there are none.
  mutating func nextFrame() -> Frame? {
    let frame = frames.popFirst()
    if frame == nil { isSending = false }
    return frame
  }

  /// Records that the connection has taken a frame, or never will.
  mutating func taken(_ origin: Frame.Origin, _ isTaken: Bool) -> Action {
    var action = Action()
    if isTaken { progress.departures += 1 }
    switch origin {
    case .message(let ticket):
      if isTaken { while let first = untaken.popFirst(), first.ticket != ticket {} }
      // The reason of a refusal is known at the end, which wakes all.
      guard isTaken || isOver else { return releasing() }
      wake(ticket, with: isTaken ? nil : closedError, &action)
    case .pong:
      pongsUnderWay -= 1
      if isTaken, let payload = nextPong.take() { answer(payload, &action) }
    case .other: break
    }
    return action
  }

  /// The messages of which it isn't known whether they have left, once the connection is over.
  var undelivered: [WebSocket.Message] {
    guard isOver || cut != nil else { return [] }
    var rest = untaken
    var messages: [WebSocket.Message] = []
    while let next = rest.popFirst() { messages.append(next.message) }
    return messages
  }

  private var closedError: any Error {
    if let failure { return failure }
    if let closure {
      return LoadError(.closed, "the server closed the socket: \(closure)", advice: "Connect again")
    }
    guard hasSentClose else {
      return LoadError(.connection, "the connection of the socket ended", advice: "Connect again")
    }
    return LoadError(.closed, "the socket is closed", advice: "Connect again")
  }
}

// MARK: - The end of the connection

extension WebSocketMachine {
  /// Records that the connection is gone. What it has brought can still be read, and may say why
  /// the server has closed the socket, so ``end(_:)`` follows when all of it has been taken.
  mutating func connectionEnded(_ error: (any Error)?) -> Action {
    guard !isOver, cut == nil else { return Action() }
    cut = error ?? Self.unclosed
    return releasing()
  }

  /// Wakes all that wait, except for those that close or read, if the connection is gone and the end
  /// has to wait until somebody reads messages.
  private mutating func releasing(_ action: Action = Action()) -> Action {
    guard let cut, pump != nil else { return action }
    var action = action
    for ticket in waiters.keys.sorted() { wake(ticket, with: failure ?? cut, &action) }
    (pings, enders) = ([], [])
    return action
  }

  private static let unclosed = LoadError(
    .connection, "the connection ended without a close frame")
}

// MARK: - Silence

extension WebSocketMachine {
  /// Judges a connection over which nothing has arrived for some time, although it was pinged.
  ///
  /// - Parameters:
  ///   - before: The progress at the beginning of that time.
  ///   - time: How long it is.
  mutating func judgeSilence(since before: Progress, for time: Duration) -> Action {
    guard progress.arrivals == before.arrivals else { return Action() }
    guard isFull else {
      return end(LoadError(.timedOut, "the server of the socket has been silent for \(time)"))
    }
    // Nothing is taken from the connection until messages are read, so its silence says nothing. But
    // the reader may wait for what the server doesn't take, or for a pong behind the messages.
    guard progress.reads == before.reads else { return Action() }
    guard untaken.first == nil || progress.departures > before.departures else {
      return end(
        LoadError(
          .timedOut,
          "the server of the socket has taken nothing for \(time), while its messages weren't read",
          advice: "Read messages while others are sent"))
    }
    return failPings(upTo: before.tickets, after: time)
  }

  private mutating func failPings(upTo ticket: Int, after time: Duration) -> Action {
    let error = LoadError(
      .timedOut, "the pong may stand behind messages that haven't been read for \(time)",
      advice: "Read messages while a ping is under way")
    var action = Action()
    for ping in pings where ping.ticket <= ticket { wake(ping.ticket, with: error, &action) }
    pings.removeAll { $0.ticket <= ticket }
    return action
  }
}

// MARK: - The end

extension WebSocketMachine {
  /// Begins to close the socket; the caller waits until it is closed.
  mutating func close(
    _ closure: WebSocket.Closure, _ waiter: CheckedContinuation<Void, Never>
  ) -> Action {
    guard !isOver else { return Action(wakes: [{ waiter.resume() }]) }
    closers.append(waiter)
    var action = Action()
    close(closure, &action)
    return action
  }

  /// Begins to close the socket, for which nobody waits.
  mutating func leave() -> Action {
    guard !isOver else { return Action() }
    var action = Action()
    close(WebSocket.Closure(code: .goingAway), &action)
    return action
  }

  private mutating func close(_ closure: WebSocket.Closure, _ action: inout Action) {
    guard !hasSentClose else { return }
    send(Frame(bytes: output.close(closure), origin: .other), &action)
    (hasSentClose, action.closes) = (true, true)
    // The close frame of the other side may stand behind messages that nobody reads.
    if let pump = pump.take() { action.wakes.append { pump.resume() } }
  }

  /// Ends everything.
  ///
  /// - Parameter error: The reason why the connection failed; `nil` if it ended.
  mutating func end(_ error: (any Error)?) -> Action {
    guard !isOver else { return Action() }
    isOver = true
    failure = failure ?? reason(of: error)
    let unsent = closedError
    var action = Action(ends: true)
    for ticket in enders { wake(ticket, with: failure, &action) }
    for ticket in waiters.keys.sorted() { wake(ticket, with: unsent, &action) }
    for closer in closers { action.wakes.append { closer.resume() } }
    (pings, enders, closers, frames, nextPong) = ([], [], [], FairQueue(), nil)
    if let pump = pump.take() { action.wakes.append { pump.resume() } }
    if let reader = reader.take() { action.wakes.append(end(reader)) }
    return action
  }

  /// The error of the end; `nil` if the socket was closed as it should be.
  private func reason(of error: (any Error)?) -> (any Error)? {
    if let closure {
      switch closure.code {
      case nil, .normal?, .goingAway?: return nil
      default: return LoadError(.closed, "the server closed the socket: \(closure)")
      }
    }
    if hasSentClose { return nil }
    return error ?? Self.unclosed
  }
}

extension WebSocket.Message {
  /// The number of bytes, and some for the message itself.
  fileprivate var size: Int {
    switch self {
    case .text(let text): text.utf8.count + 64
    case .binary(let data): data.count + 64
    }
  }
}
