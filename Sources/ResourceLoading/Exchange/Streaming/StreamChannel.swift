import Foundation
import PromiseModule
import ResourcePrimitives
import Synchronization

/// A bounded buffer between a transport that delivers a body and one reader.
final class StreamChannel: Sendable {
  /// The head of the accepted response; rejected if the stream ends without one.
  let head: Promise<StreamHead>
  private let resolver: Promise<StreamHead>.Resolver
  private let state = Mutex(StreamChannelState())

  init() { (head, resolver) = Promise<StreamHead>.pending() }

  var isOpen: Bool { if case .success = head.result { true } else { false } }

  func open(_ head: StreamHead) { resolver.fulfill(head) }

  /// Sets the exchange to pause when the buffer is full.
  func attach(_ exchange: any Exchange) { act(on: state.withLock { $0.attach(exchange) }) }

  func push(_ chunk: Data) throws {
    let action = state.withLock { $0.push(chunk) }
    act(on: action)
    if action.isOverflowing {
      throw LoadError(
        .tooLarge, "the reader of the stream is more than \(StreamChannelState.limit) bytes behind",
        advice: "Read faster, or download to a file")
    }
  }

  /// Ends the stream. Later calls have no effect. Buffered pieces can still be read, unless the
  /// reader was cancelled.
  func end(_ failure: (any Error)?) {
    resolver.reject(failure ?? LoadError.nothingToStream)
    act(on: state.withLock { $0.end(failure) })
  }

  private func act(on action: StreamChannelState.Action) {
    if action.pauses { action.exchange?.pause() }
    if action.resumes { action.exchange?.resume() }
    action.wake?()
  }
}

extension StreamChannel {
  /// Returns the next piece; `nil` at the end.
  func next() async throws -> Data? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        act(on: state.withLock { $0.waitForChunk(continuation) })
        if Task.isCancelled { end(CancellationError()) }
      }
    } onCancel: {
      end(CancellationError())
    }
  }
}

/// The body of a channel, for its reader. The load is cancelled when the last reader is gone.
final class ChannelBody: StreamedBody {
  private let channel: StreamChannel
  private let load: Promise<Void>

  init(_ channel: StreamChannel, _ load: Promise<Void>) {
    self.channel = channel
    self.load = load
  }

  deinit { load.cancel() }

  /// Cancels the load.
  func cancel() { load.cancel() }

  func head() async throws -> StreamHead {
    do { return try await channel.head.get() } catch { throw given(up: error) }
  }

  func next() async throws -> Data? {
    do { return try await channel.next() } catch { throw given(up: error) }
  }

  func explain(_ error: LoadError, to request: Request) -> any Error {
    guard case .success(let head)? = channel.head.result else { return error }
    return head.errorContext.explain(error)
  }

  private func given(up error: any Error) -> any Error {
    if error is CancellationError { load.cancel() }
    return error
  }
}

extension LoadError {
  static let nothingToStream = LoadError(
    .middleware, "a middleware returned a response of its own, so there is nothing to stream")
}

/// The URL and the head of a stream's response.
struct StreamHead: Sendable {
  var url: URL
  var head: ResponseHead
  /// What was sent, for errors.
  var errorContext: ErrorContext
}

/// The state machine of a ``StreamChannel``: each event returns the actions to perform after
/// unlocking.
struct StreamChannelState {
  typealias Reader = CheckedContinuation<Data?, any Error>

  struct Action {
    var exchange: (any Exchange)?
    var pauses = false
    var resumes = false
    var isOverflowing = false
    /// Wakes the reader.
    var wake: (@Sendable () -> Void)?
  }

  /// The number of bytes above which the transport is paused.
  static let highWater = 256 << 10
  /// The number of bytes below which it continues.
  static let lowWater = 64 << 10
  /// The maximum number of buffered bytes, for a transport that can't be paused.
  static let limit = 64 << 20

  private var chunks = FairQueue<Data>()
  private var size = 0
  private var isPaused = false
  private var isEnded = false
  private var failure: (any Error)?
  private var exchange: (any Exchange)?
  private var reader: Reader?
}

extension StreamChannelState {
  mutating func attach(_ exchange: any Exchange) -> Action {
    guard !isEnded else { return Action() }
    self.exchange = exchange
    return Action(exchange: exchange, pauses: isPaused)
  }

  mutating func push(_ chunk: Data) -> Action {
    guard !isEnded, !chunk.isEmpty else { return Action() }
    if let reader = reader.take() { return Action(wake: { reader.resume(returning: chunk) }) }
    chunks.append(chunk)
    size += chunk.count
    guard size <= Self.limit else { return Action(isOverflowing: true) }
    guard size > Self.highWater, !isPaused else { return Action() }
    isPaused = true
    return Action(exchange: exchange, pauses: true)
  }

  mutating func end(_ failure: (any Error)?) -> Action {
    guard !isEnded else { return Action() }
    isEnded = true
    self.failure = failure
    exchange = nil
    if failure is CancellationError { (chunks, size) = (FairQueue(), 0) }
    return reader.take().map { finish($0) } ?? Action()
  }
}

extension StreamChannelState {
  mutating func waitForChunk(_ reader: Reader) -> Action {
    if let chunk = chunks.popFirst() { return give(chunk, to: reader) }
    guard !isEnded else { return finish(reader) }
    precondition(self.reader == nil, "a stream has one reader at a time")
    self.reader = reader
    return Action()
  }

  /// Returns the failure once and then only the end.
  private mutating func finish(_ reader: Reader) -> Action {
    guard let error = failure.take() else {
      return Action(wake: { reader.resume(returning: nil) })
    }
    return Action(wake: { reader.resume(throwing: error) })
  }

  private mutating func give(_ chunk: Data, to reader: Reader) -> Action {
    size -= chunk.count
    var action = Action(wake: { reader.resume(returning: chunk) })
    if isPaused, size < Self.lowWater {
      isPaused = false
      (action.exchange, action.resumes) = (exchange, true)
    }
    return action
  }
}

/// Passes the body of a load to a reader as it arrives.
final class StreamDestination: BodyDestination {
  let channel = StreamChannel()
  fileprivate let accepted: Request.AcceptedStatuses

  init(accepted: Request.AcceptedStatuses) { self.accepted = accepted }

  /// `false` when the stream is open, because its reader already has the beginning.
  var canBeginAgain: Bool { !channel.isOpen }

  var holdsBack: Bool { true }

  func open(for request: inout WireRequest.Draft, in context: LoadContext) -> any BodySink {
    StreamSink(self, url: request.url, context)
  }
}

/// Passes the body of one exchange to the channel.
final class StreamSink: BodySink {
  private let destination: StreamDestination
  private let url: URL
  private let context: LoadContext

  init(_ destination: StreamDestination, url: URL, _ context: LoadContext) {
    self.destination = destination
    self.url = url
    self.context = context
  }

  var offset: Int { 0 }

  func attach(_ exchange: any Exchange) { destination.channel.attach(exchange) }

  func begin(_ head: ResponseHead) -> SinkDemand {
    guard destination.accepted.contains(head.status) else { return .nothing }
    var errorContext = context.errorContext
    errorContext.end(.success(head))
    destination.channel.open(StreamHead(url: url, head: head, errorContext: errorContext))
    return .body
  }

  func write(_ chunk: Data) throws { try destination.channel.push(chunk) }

  // The end of the load ends the stream, so that its error has all the details.
  func finish(_ isWanted: () -> Bool) {}
  func abandon() {}
  func complete(_ response: inout Response) {}
}
