import Foundation

/// The rules of a stream's buffer, without the lock: each event returns what is to be done after unlocking.
struct StreamChannelState {
  typealias Continuation<Value> = CheckedContinuation<Value, any Error>

  /// What is to be done outside the lock.
  struct Action {
    var exchange: (any Exchange)?
    var pauses = false
    var resumes = false
    var isOverflowing = false
    /// Wakes the reader.
    var wake: (@Sendable () -> Void)?
  }

  /// Above this many bytes the transport is held back.
  static let highWater = 256 << 10
  /// Below this many it goes on.
  static let lowWater = 64 << 10
  /// How many bytes wait at most of a transport that can't be held back.
  static let limit = 64 << 20

  private var head: StreamHead?
  private var chunks = FairQueue<Data>()
  private var size = 0
  private var isPaused = false
  private var isEnded = false
  private var failure: (any Error)?
  private var exchange: (any Exchange)?
  private var headReader: Continuation<StreamHead>?
  private var chunkReader: Continuation<Data?>?
}

// MARK: - What comes in

extension StreamChannelState {
  var isOpen: Bool { head != nil }

  mutating func open(_ head: StreamHead) -> Action {
    guard !isEnded, self.head == nil else { return Action() }
    self.head = head
    guard let reader = headReader else { return Action() }
    headReader = nil
    return Action(wake: { reader.resume(returning: head) })
  }

  mutating func attach(_ exchange: any Exchange) -> Action {
    self.exchange = exchange
    return Action(exchange: exchange, pauses: isPaused)
  }

  mutating func push(_ chunk: Data) -> Action {
    guard !isEnded, !chunk.isEmpty else { return Action() }
    if let reader = chunkReader {
      chunkReader = nil
      return Action(wake: { reader.resume(returning: chunk) })
    }
    chunks.append(chunk)
    size += chunk.count
    guard size <= Self.limit else { return Action(isOverflowing: true) }
    guard size > Self.highWater, !isPaused else { return Action() }
    isPaused = true
    return Action(exchange: exchange, pauses: true)
  }

  /// The first end counts. What came before is still read, unless the reader himself gave up.
  mutating func end(_ failure: (any Error)?) -> Action {
    guard !isEnded else { return Action() }
    isEnded = true
    self.failure = failure
    exchange = nil
    if failure is CancellationError { (chunks, size) = (FairQueue(), 0) }
    if let reader = headReader {
      headReader = nil
      return Action(wake: { reader.resume(throwing: failure ?? Self.noHead) })
    }
    guard let reader = chunkReader else { return Action() }
    chunkReader = nil
    return finish(reader)
  }

  private static var noHead: LoadError {
    LoadError(.middleware, "a middleware answered by itself, so there is nothing to be streamed")
  }
}

// MARK: - What is read

extension StreamChannelState {
  mutating func waitForHead(_ reader: Continuation<StreamHead>) -> Action {
    if let head { return Action(wake: { reader.resume(returning: head) }) }
    guard isEnded else {
      headReader = reader
      return Action()
    }
    let error = failure ?? Self.noHead
    return Action(wake: { reader.resume(throwing: error) })
  }

  mutating func waitForChunk(_ reader: Continuation<Data?>) -> Action {
    if let chunk = chunks.popFirst() { return give(chunk, to: reader) }
    guard !isEnded else { return finish(reader) }
    precondition(chunkReader == nil, "a stream has one reader at a time")
    chunkReader = reader
    return Action()
  }

  /// Tells the failure once, and the end from then on.
  private mutating func finish(_ reader: Continuation<Data?>) -> Action {
    guard let error = failure else { return Action(wake: { reader.resume(returning: nil) }) }
    failure = nil
    return Action(wake: { reader.resume(throwing: error) })
  }

  private mutating func give(_ chunk: Data, to reader: Continuation<Data?>) -> Action {
    size -= chunk.count
    var action = Action(wake: { reader.resume(returning: chunk) })
    if isPaused, size < Self.lowWater {
      isPaused = false
      (action.exchange, action.resumes) = (exchange, true)
    }
    return action
  }
}
