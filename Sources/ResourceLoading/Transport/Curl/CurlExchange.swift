#if Curl && canImport(CResourceCurl)
  import Foundation
  import Synchronization

  /// One request of a transport, which can be used from any thread.
  final class CurlExchange: Exchange {
    let request: WireRequest
    let receiver: any ExchangeReceiver
    /// When it was handed to the transport.
    let submitted = ContinuousClock.now
    /// The index of its transfer in the pool; -1 if it has none. Only for the engine.
    let index = Atomic(-1)
    let inbox: CurlInbox
    /// The state of decoding; `nil` for a body without codings.
    let decoding = Mutex<BodyDecoding?>(nil)
    /// The trailers of the response; `nil` if there are none.
    private let trailers = Mutex<Headers?>(nil)
    /// What is sent after the protocol was switched.
    private let outgoing = Mutex(OutgoingBytes())
    private let state = Atomic(State.running)
    private let flow = Atomic(Flow.flowing)

    private enum State: UInt8, AtomicRepresentable {
      case running, cancelled, ended
    }

    private enum Flow: UInt8, AtomicRepresentable {
      case flowing
      /// The next piece of the body has to be held back.
      case pausing
      /// A piece is held back.
      case paused
    }

    init(_ request: WireRequest, _ receiver: any ExchangeReceiver, _ inbox: CurlInbox) {
      self.request = request
      self.receiver = receiver
      self.inbox = inbox
    }

    func cancel() {
      guard leaveRunning(for: .cancelled) else { return }
      inbox.submit(.cancel(self))
      refuseSending()
    }

    func pause() {
      _ = flow.compareExchange(
        expected: .flowing, desired: .pausing, ordering: .acquiringAndReleasing)
    }

    func resume() {
      let wasPaused = flow.exchange(.flowing, ordering: .acquiringAndReleasing) == .paused
      guard wasPaused else { return }
      resumeDecoding()
      inbox.submit(.resume(self))
    }

    /// Has libcurl ask again for bytes of the request's body that came later.
    func resumeSending() { inbox.submit(.resume(self)) }

    func findIdleTime(_ report: @escaping @Sendable (Duration?) -> Void) {
      inbox.submit(.findIdleTime(self, report))
    }
  }

  extension CurlExchange {
    /// Returns whether a piece of the body has to be held back until `resume` arrives in the inbox.
    func holds() -> Bool {
      flow.compareExchange(
        expected: .pausing, desired: .paused, ordering: .acquiringAndReleasing
      ).exchanged
    }

    /// Records the trailers of the response, before its end.
    func note(_ trailers: Headers) {
      if !trailers.isEmpty { self.trailers.withLock { $0 = trailers } }
    }

    var isCancelled: Bool { state.load(ordering: .acquiring) == .cancelled }

    var isRunning: Bool { state.load(ordering: .acquiring) == .running }

    /// Whether a piece of the body is held back.
    var isPaused: Bool { flow.load(ordering: .acquiring) == .paused }

    /// Reports the end, unless the exchange was cancelled. Only the first call has an effect.
    func end(_ failure: LoadError?, _ metrics: ExchangeMetrics? = nil) {
      guard leaveRunning(for: .ended) else { return }
      if failure == nil, let trailers = trailers.withLock({ $0.take() }) {
        receiver.received(trailers: trailers)
      }
      refuseSending()
      if let metrics { receiver.measured(metrics) }
      receiver.finished(failure)
    }

    /// Returns whether this call has changed the state.
    private func leaveRunning(for state: State) -> Bool {
      self.state.compareExchange(
        expected: .running, desired: state, ordering: .acquiringAndReleasing
      ).exchanged
    }
  }

  // MARK: - Another protocol

  extension CurlExchange {
    func send(_ bytes: Data, whenTaken report: @escaping @Sendable (Bool) -> Void) {
      let (isRefused, wakes) = outgoing.withLock { $0.append(bytes, report) }
      if isRefused { report(false) }
      if wakes { resumeSending() }
    }

    /// Ends the sending after a response that doesn't switch protocols.
    func endSending() {
      refuseSending()
      resumeSending()
    }

    /// Copies bytes for libcurl.
    ///
    /// - Parameter sent: The number of bytes that the system has taken so far.
    /// - Returns: The number of bytes, 0 at the end; `nil` if there are none yet.
    func takeSent(into buffer: UnsafeMutableRawBufferPointer, after sent: Int64) -> Int? {
      var reports: [@Sendable (Bool) -> Void] = []
      let count = outgoing.withLock { unsafe $0.take(into: buffer, after: sent, &reports) }
      for report in reports { report(true) }
      return count
    }

    private func refuseSending() {
      for report in outgoing.withLock({ $0.end() }) { report(false) }
    }
  }

  /// The bytes that wait for being sent.
  private struct OutgoingBytes {
    private typealias Report = @Sendable (Bool) -> Void

    private var pieces: [(bytes: Data, report: Report)] = []
    /// The reports of pieces that libcurl has, with the numbers of bytes up to their ends.
    private var given: [(end: Int64, report: Report)] = []
    /// The number of bytes that libcurl has.
    private var count: Int64 = 0
    /// Whether libcurl has asked for bytes when there were none.
    private var isAwaited = false
    private var isOver = false
  }

  extension OutgoingBytes {
    /// - Returns: Whether the bytes are refused, and whether libcurl has to be told of them.
    mutating func append(
      _ bytes: Data, _ report: @escaping @Sendable (Bool) -> Void
    ) -> (isRefused: Bool, wakes: Bool) {
      guard !isOver else { return (true, false) }
      pieces.append((bytes, report))
      defer { isAwaited = false }
      return (false, isAwaited)
    }

    /// - Parameters:
    ///   - sent: The number of bytes that the system has taken.
    ///   - reports: Gets those of the pieces that it has taken whole.
    mutating func take(
      into buffer: UnsafeMutableRawBufferPointer, after sent: Int64,
      _ reports: inout [@Sendable (Bool) -> Void]
    ) -> Int? {
      guard !isOver else { return 0 }
      let copied = unsafe copy(into: buffer)
      // Up to version 8.6, libcurl asks only when the system has taken all that it had before. Later
      // versions may keep a rest and not ask again until there is more.
      let settled = copied == 0 ? count : sent
      let whole = given.prefix { $0.end <= settled }
      reports += whole.map(\.report)
      given.removeFirst(whole.count)
      isAwaited = copied == 0
      return copied == 0 ? nil : copied
    }

    private mutating func copy(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      var (copied, whole) = (0, 0)
      while whole < pieces.count, copied < buffer.count {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[copied...])
        let part = unsafe pieces[whole].bytes.copyBytes(to: room)
        (copied, count) = (copied + part, count + Int64(part))
        guard part == pieces[whole].bytes.count else {
          pieces[whole].bytes = pieces[whole].bytes.dropFirst(part)
          break
        }
        given.append((count, pieces[whole].report))
        whole += 1
      }
      pieces.removeFirst(whole)
      return copied
    }

    /// - Returns: Those that wait.
    mutating func end() -> [@Sendable (Bool) -> Void] {
      isOver = true
      defer { (pieces, given) = ([], []) }
      return given.map(\.report) + pieces.map(\.report)
    }
  }
#endif
