public import Foundation
public import ResourceLoading
import ResourcePrimitives
import Synchronization

/// A transport that records the exchanges of another one in a HAR file, without secrets.
///
/// ```swift
/// let file = URL(filePath: "/tmp/session.har")
/// let client = Client { $0.transport = RecordingTransport(to: file) }
/// ```
///
/// Each exchange is an entry, including each redirect, retry and failure. Entries are in the order
/// in which the exchanges ended. Bytes are passed on as they arrive. An exchange ends for its load
/// once it is in the file. If it can't be written, the load fails with a `LoadError` of kind
/// `file`, so that no part of a recording is lost unnoticed. The file is replaced as a whole each
/// time; exchanges that end in the meantime are written together the next time.
///
/// If a client gives up an exchange, because it was cancelled, it timed out or the client had read
/// enough, the entry says so and has what had arrived. No load waits for such an entry, so call
/// ``save()`` before the process ends.
///
/// The recorded transport isn't asked about redirects. If it uses a `URLSession` of yours, the
/// session's delegate can't decline them.
public final class RecordingTransport: Transport {
  private let transport: any Transport
  private let recorder: Recorder

  /// The limits of a recording. Exchanges and bytes beyond them are passed on and not recorded.
  public struct Limits: Sendable, Hashable {
    /// The most bytes of one body. Of a larger one only the first bytes are kept, and playing it is
    /// an error. Of the messages of a WebSocket, those are kept that have so many bytes together.
    public var maximumBodySize = 4 << 20
    /// The most exchanges. Further ones are left out, and the file's comment says how many.
    public var maximumEntries = 2_000
    /// The most bytes of the file. Exchanges that don't fit are left out, and the file's comment
    /// says how many.
    public var maximumFileSize = 64 << 20

    /// Creates limits of 4 MiB for a body, 2,000 exchanges and 64 MiB for the file.
    public init() {}
  }

  /// Creates a transport that records to a file. An existing file is replaced when the first
  /// exchange has ended.
  ///
  /// - Parameters:
  ///   - file: The URL of the file, in an existing directory. Only the owner can read a new file.
  ///   - transport: The transport that sends the requests; `nil` for the default transport of a
  ///     client.
  ///   - redaction: Additional rules for secrets.
  ///   - limits: The limits of the recording.
  ///   - clock: The clock that measures exchanges if the transport doesn't.
  public convenience init(
    to file: URL, over transport: (any Transport)? = nil,
    redaction: RecordingRedaction = RecordingRedaction(), limits: Limits = Limits(),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    let recorder = Recorder(file, adding: HTTPArchive(), redaction, limits, LoadClock(clock))
    self.init(transport, recorder)
  }

  init(_ transport: (any Transport)?, _ recorder: Recorder) {
    self.transport = transport ?? DefaultTransport()
    self.recorder = recorder
  }
}

extension RecordingTransport {
  /// Returns the identity of the other transport.
  public func identity(for url: URL) -> String? { transport.identity(for: url) }

  /// Starts an exchange over the other transport.
  public func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    let exchange = RecordedExchange(request, receiver: receiver, recorder: recorder)
    exchange.attach(transport.start(request, receiver: exchange))
    return exchange
  }

  /// Whether the other transport delivers incrementally.
  public var deliversIncrementally: Bool { transport.deliversIncrementally }

  /// Whether the other transport can switch protocols. The messages of WebSockets are recorded.
  public var canSwitchProtocols: Bool { transport.canSwitchProtocols }

  /// Whether the other transport delivers interim responses, which aren't recorded.
  public var deliversInterimResponses: Bool { transport.deliversInterimResponses }

  /// Whether the other transport can delay bodies.
  public var canDelayBodies: Bool { transport.canDelayBodies }

  /// The recording so far, as it is in the file.
  public var archive: HTTPArchive { recorder.archive }

  /// Waits until every exchange that has ended so far is in the file, which is created if it
  /// doesn't exist.
  ///
  /// - Throws: A `LoadError` of kind `file` if it can't be written.
  public func save() async throws { try await recorder.save() }
}

/// A recorded exchange: the receiver of the transport and the exchange of the load.
final class RecordedExchange: Exchange, ExchangeReceiver {
  private let request: WireRequest
  private let receiver: any ExchangeReceiver
  private let recorder: Recorder
  private let state: Mutex<State>

  private struct State {
    var exchange: (any Exchange)?
    var record: ExchangeRecord
    /// The messages after the protocol was switched.
    var log: MessageLog?
    var isCancelled = false
    var hasEnded = false

    /// Returns the whole record.
    mutating func end(_ failure: HTTPArchive.Failure?, at time: Duration) -> ExchangeRecord {
      hasEnded = true
      (record.ended, record.failure) = (time, failure)
      if let log { (record.messages, record.lacksMessages) = (log.messages, log.isIncomplete) }
      return record
    }
  }

  init(_ request: WireRequest, receiver: any ExchangeReceiver, recorder: Recorder) {
    self.request = request
    self.receiver = receiver
    self.recorder = recorder
    let clock = recorder.clock
    state = Mutex(State(record: ExchangeRecord(request, at: clock.now(), on: clock.date())))
  }

  func attach(_ exchange: any Exchange) {
    let isCancelled = state.withLock { state in
      if !state.hasEnded { state.exchange = exchange }
      return state.isCancelled
    }
    if isCancelled { exchange.cancel() }
  }
}

extension RecordedExchange {
  func cancel() {
    let (exchange, record) = state.withLock { state -> ((any Exchange)?, ExchangeRecord?) in
      defer { (state.isCancelled, state.exchange) = (true, nil) }
      guard !state.hasEnded else { return (state.exchange, nil) }
      let failure = HTTPArchive.Failure(
        HTTPArchive.Failure.cancelled, "the client gave the exchange up")
      return (state.exchange, state.end(failure, at: recorder.clock.now()))
    }
    exchange?.cancel()
    if let record { recorder.add(record) { _ in } }
  }

  func pause() { state.withLock { $0.exchange }?.pause() }

  func findIdleTime(_ report: @escaping @Sendable (Duration?) -> Void) {
    guard let exchange = state.withLock({ $0.exchange }) else { return report(nil) }
    exchange.findIdleTime(report)
  }

  func resume() { state.withLock { $0.exchange }?.resume() }

  func send(_ bytes: Data, whenTaken report: @escaping @Sendable (Bool) -> Void) {
    let exchange = state.withLock { state in
      state.log?.read(bytes, isSent: true, on: recorder.clock.date())
      return state.exchange
    }
    guard let exchange else { return report(false) }
    exchange.send(bytes, whenTaken: report)
  }
}

extension RecordedExchange {
  func received(_ head: ResponseHead) {
    state.withLock { state in
      state.record.receive(head, at: recorder.clock.now())
      if request.switchesProtocols, head.status == .switchingProtocols {
        state.log = MessageLog(head, atMost: recorder.limits.maximumBodySize)
      }
    }
    receiver.received(head)
  }

  func received(_ chunk: Data) {
    state.withLock { state in
      if state.log == nil {
        state.record.receive(chunk, atMost: recorder.limits.maximumBodySize)
      } else {
        state.log?.read(chunk, isSent: false, on: recorder.clock.date())
      }
    }
    receiver.received(chunk)
  }

  func received(interim head: ResponseHead) { receiver.received(interim: head) }

  func received(trailers: Headers) { receiver.received(trailers: trailers) }

  func sent(_ count: Int, of total: Int?) { receiver.sent(count, of: total) }

  var wantsMetrics: Bool { true }

  func measured(_ metrics: ExchangeMetrics) {
    state.withLock { $0.record.metrics = metrics }
    if receiver.wantsMetrics { receiver.measured(metrics) }
  }

  func finished(_ failure: LoadError?) {
    let record = state.withLock { state -> ExchangeRecord? in
      guard !state.hasEnded else { return nil }
      state.exchange = nil
      return state.end(failure.map { HTTPArchive.Failure($0) }, at: recorder.clock.now())
    }
    guard let record else { return }
    recorder.add(record) { [receiver] error in receiver.finished(failure ?? error) }
  }
}

extension HTTPArchive.Failure {
  init(_ error: LoadError) {
    self.init(error.kind, error.reason)
    isUnsent = error.isUnsent
  }

  var error: LoadError {
    // The underlying error shows the retry policy that nothing was sent.
    LoadError(kind, reason, underlying: isUnsent ? MissingConnection() : nil)
  }
}
