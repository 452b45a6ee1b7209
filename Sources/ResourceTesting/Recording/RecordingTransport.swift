public import Foundation
public import ResourceLoading
import ResourcePrimitives
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that writes what goes over another one into a HAR file, without secrets.
///
/// ```swift
/// let file = URL(filePath: "/tmp/session.har")
/// let client = Client { $0.transport = RecordingTransport(to: file) }
/// ```
///
/// Each exchange is an entry, in the order in which they end; each redirect, each retry and each
/// failure is one of its own. Bytes are passed on as they arrive. An exchange ends for its load
/// once it is in the file, and the load fails with a `LoadError` of kind `file` if it can't be
/// written, so that nothing of a recording is lost unnoticed. The file is replaced as a whole each
/// time; exchanges that end meanwhile are written together the next time.
///
/// An exchange that its client gives up, because it was cancelled, its time was over or it had read
/// enough, is recorded as such, with what had arrived. Nobody waits for it: call ``save()`` before
/// the process ends.
///
/// The transport that is recorded isn't asked about redirects: with a `URLSession` that isn't its
/// own, the delegate's opinion of them doesn't count.
public final class RecordingTransport: Transport {
  private let transport: any Transport
  private let recorder: Recorder

  /// The limits of a recording. Exchanges and bytes beyond them are passed on and not recorded.
  public struct Limits: Sendable, Hashable {
    /// The most bytes of one body. Of a larger one the first are kept; playing it is an error.
    public var maximumBodySize = 4 << 20
    /// The most exchanges. Further ones are left out, and the file's comment says how many.
    public var maximumEntries = 2_000
    /// The most bytes of the file. An exchange that doesn't fit is left out, and the file's comment
    /// says how many were.
    public var maximumFileSize = 64 << 20

    /// Creates limits of 4 MiB for a body, 2,000 exchanges and 64 MiB for the file.
    public init() {}
  }

  /// Creates a transport that records into a file, which is replaced when the first exchange has
  /// ended.
  ///
  /// - Parameters:
  ///   - file: The URL of the file, in an existing directory. A new one can be read by its owner
  ///     alone.
  ///   - transport: What puts requests on the wire; `nil` for that of a client that is given none.
  ///   - redaction: What is kept secret beyond what always is.
  ///   - limits: How much is recorded.
  ///   - clock: Measures how long exchanges take, where the transport doesn't.
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
  /// Returns the text of the other transport.
  public func identity(for url: URL) -> String? { transport.identity(for: url) }

  /// Starts an exchange over the other transport.
  public func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    let exchange = RecordedExchange(request, receiver: receiver, recorder: recorder)
    exchange.attach(transport.start(request, receiver: exchange))
    return exchange
  }

  /// Whether the other transport delivers incrementally.
  public var deliversIncrementally: Bool { transport.deliversIncrementally }

  /// Whether the other transport delivers interim responses, which aren't recorded.
  public var deliversInterimResponses: Bool { transport.deliversInterimResponses }

  /// The recording so far, as it is in the file.
  public var archive: HTTPArchive { recorder.archive }

  /// Waits until everything that has ended so far is in the file, which is made if there is none.
  ///
  /// - Throws: A `LoadError` of kind `file` if it can't be written.
  public func save() async throws { try await recorder.save() }
}

/// An exchange that is recorded: the receiver for the transport below, and the exchange for the
/// load above.
final class RecordedExchange: Exchange, ExchangeReceiver {
  private let request: WireRequest
  private let receiver: any ExchangeReceiver
  private let recorder: Recorder
  private let state: Mutex<State>

  private struct State {
    var exchange: (any Exchange)?
    var record: ExchangeRecord
    var isCancelled = false
    var hasEnded = false
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

// MARK: - Calls by the load

extension RecordedExchange {
  func cancel() {
    let (exchange, record) = state.withLock { state -> ((any Exchange)?, ExchangeRecord?) in
      defer { (state.isCancelled, state.exchange) = (true, nil) }
      guard !state.hasEnded else { return (state.exchange, nil) }
      state.hasEnded = true
      state.record.ended = recorder.clock.now()
      state.record.failure = HTTPArchive.Failure(
        HTTPArchive.Failure.cancelled, "the client gave the exchange up")
      return (state.exchange, state.record)
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
}

// MARK: - Calls by the transport

extension RecordedExchange {
  func received(_ head: ResponseHead) {
    state.withLock { $0.record.receive(head, at: recorder.clock.now()) }
    receiver.received(head)
  }

  func received(_ chunk: Data) {
    state.withLock { $0.record.receive(chunk, atMost: recorder.limits.maximumBodySize) }
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
      (state.hasEnded, state.exchange) = (true, nil)
      state.record.ended = recorder.clock.now()
      state.record.failure = failure.map { HTTPArchive.Failure($0) }
      return state.record
    }
    guard let record else { return }
    recorder.add(record) { [receiver] error in receiver.finished(failure ?? error) }
  }
}

extension HTTPArchive.Failure {
  /// The failure of a load.
  init(_ error: LoadError) {
    self.init(error.kind, error.reason)
    isUnsent = error.isUnsent
  }

  /// The same failure, for a load.
  var error: LoadError {
    // By its code, whoever decides on a retry knows that nothing was sent.
    LoadError(kind, reason, underlying: isUnsent ? URLError(.cannotConnectToHost) : nil)
  }
}
