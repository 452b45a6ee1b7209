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
      if leaveRunning(for: .cancelled) { inbox.submit(.cancel(self)) }
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

    /// Reports the end, unless the exchange was cancelled. Only the first call has an effect.
    func end(_ failure: LoadError?, _ metrics: ExchangeMetrics? = nil) {
      guard leaveRunning(for: .ended) else { return }
      if failure == nil, let trailers = trailers.withLock({ $0.take() }) {
        receiver.received(trailers: trailers)
      }
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
#endif
