import Foundation
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// The connection of a stub's WebSocket, whose server takes the steps of a script.
final class StubSocketExchange: Exchange {
  private let request: WireRequest
  private let receiver: any ExchangeReceiver
  private let log: Observed<StubTransport.State>
  private let state = Mutex(State())

  private enum Delivery {
    case head(ResponseHead)
    case bytes(Data)
    case end(LoadError?)
  }

  private struct State {
    var input = WebSocketReader(limit: .max, isMasked: true)
    var output = WebSocketWriter(masks: false)
    var unread = FairQueue<WebSocket.Message>()
    /// The step that waits for a message.
    var waiter: Waiter<WebSocket.Message>?
    var deliveries = FairQueue<Delivery>()
    /// Whether a thread is calling the receiver.
    var isDelivering = false
    var isPaused = false
    var isSilent = false
    var hasSentClose = false
    var isOver = false
    /// The index in the log; `nil` before the handshake is answered.
    var index: Int?
    var task: Task<Void, Never>?

    mutating func nextDelivery() -> Delivery? {
      guard !isPaused, !isOver, let delivery = deliveries.popFirst() else {
        isDelivering = false
        return nil
      }
      if case .end = delivery { isOver = true }
      return delivery
    }
  }

  init(
    _ request: WireRequest, _ receiver: any ExchangeReceiver, log: Observed<StubTransport.State>
  ) {
    (self.request, self.receiver, self.log) = (request, receiver, log)
  }
}

extension StubSocketExchange {
  /// Answers the handshake, and takes the steps. Those up to the first wait are taken before it
  /// returns.
  ///
  /// - Parameter wait: Waits before the handshake is answered.
  func play(
    _ head: ResponseHead, _ steps: [StubSocket.Step],
    after wait: @escaping @Sendable () async throws -> Void
  ) {
    let task = Task.startingHere { [self] in
      do {
        try await wait()
        deliver(.head(head))
        try await take(steps)
      } catch {
        // An error of the clock. A connection that is over delivers nothing.
        deliver(.end(StubAnswer.failure(error)))
      }
    }
    let isOver = state.withLock { state in
      state.task = task
      return state.isOver
    }
    if isOver { task.cancel() }
  }

  func cancel() { end(wasCancelled: true) }

  func pause() { state.withLock { $0.isPaused = true } }

  func resume() {
    state.withLock { $0.isPaused = false }
    deliver()
  }

  func send(_ bytes: Data, whenTaken report: @escaping @Sendable (Bool) -> Void) {
    var events: [WebSocketReader.Event] = []
    let isTaken = state.withLock { state in
      guard !state.isOver else { return false }
      // The frames are those of this library.
      try? state.input.read(bytes, into: &events)
      return true
    }
    report(isTaken)
    for event in events { receive(event) }
  }
}

// MARK: - Steps

extension StubSocketExchange {
  private func take(_ steps: [StubSocket.Step]) async throws {
    for step in steps {
      switch step.content {
      case .send(let message): deliver { $0.output.frame(message) }
      case .bytes(let bytes): deliver(.bytes(Data(bytes)))
      case .wait(let wait): try await wait()
      case .receive(let answer): try await take(answer(nextMessage()))
      case .close(let closure): close(closure)
      case .silence: state.withLock { $0.isSilent = true }
      case .drop: deliver(.end(Self.dropped))
      }
    }
  }

  private static let dropped = LoadError(.connection, "the stub dropped the connection")

  private func nextMessage() async throws -> WebSocket.Message {
    let waiter = Waiter<WebSocket.Message>()
    let message = state.withLock { state in
      let message = state.unread.popFirst()
      if message == nil { state.waiter = waiter }
      return message
    }
    if let message { return message }
    return try await waiter.value()
  }

  private func close(_ closure: WebSocket.Closure) {
    deliver { state in
      guard !state.hasSentClose else { return nil }
      state.hasSentClose = true
      return state.output.close(closure)
    }
  }
}

// MARK: - What the client sends

extension StubSocketExchange {
  private func receive(_ event: WebSocketReader.Event) {
    switch event {
    case .message(let message):
      note { $0.messages.append(message) }
      let waiter = state.withLock { state in
        let waiter = state.waiter.take()
        if waiter == nil { state.unread.append(message) }
        return waiter
      }
      waiter?.finish(.success(message))
    case .ping(let payload): deliver { $0.isSilent ? nil : $0.output.control(.pong, payload) }
    case .pong: break
    case .close(let closure):
      note { $0.closure = closure }
      guard !state.withLock({ $0.isSilent }) else { return }
      close(WebSocket.Closure(code: closure.code))
      deliver(.end(nil))
    }
  }

  private func note(_ change: @Sendable (inout StubSocket) -> Void) {
    guard let index = state.withLock({ $0.index }) else { return }
    log.update { change(&$0.sockets[index]) }
  }
}

// MARK: - What the client receives

extension StubSocketExchange {
  private func deliver(_ bytes: (inout State) -> Data?) {
    // A frame is queued where it is written, so that frames stand in one order.
    let hasBytes = state.withLock { state in
      let bytes = bytes(&state)
      if let bytes { state.deliveries.append(.bytes(bytes)) }
      return bytes != nil
    }
    if hasBytes { deliver() }
  }

  private func deliver(_ delivery: Delivery) {
    state.withLock { _ = $0.deliveries.append(delivery) }
    deliver()
  }

  /// Calls the receiver, one call after another.
  private func deliver() {
    let delivers = state.withLock { state in
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    guard delivers else { return }
    while let delivery = state.withLock({ $0.nextDelivery() }) {
      switch delivery {
      case .head(let head):
        let index = log.update { $0.open(request) }
        state.withLock { $0.index = index }
        receiver.received(head)
      case .bytes(let bytes): receiver.received(bytes)
      case .end(let failure):
        end(wasCancelled: false)
        receiver.finished(failure)
      }
    }
  }

  private func end(wasCancelled: Bool) {
    let (task, index, isFirst) = state.withLock { state in
      defer { (state.isOver, state.task, state.deliveries) = (true, nil, FairQueue()) }
      return (state.task, state.index, !state.isOver || !wasCancelled)
    }
    guard isFirst else { return }
    log.update { $0.end(request, index, wasCancelled: wasCancelled) }
    task?.cancel()
  }
}
