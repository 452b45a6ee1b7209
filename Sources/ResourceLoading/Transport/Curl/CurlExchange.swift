#if Curl && canImport(CResourceCurl)
  import Foundation
  import Synchronization

  /// One request of a transport, as other threads see it.
  final class CurlExchange: Exchange {
    let request: WireRequest
    let receiver: any ExchangeReceiver
    /// When it was handed over.
    let submitted = ContinuousClock.now
    /// Where the engine keeps what belongs to it, from 0; -1 while that is nowhere. Only for the engine.
    let index = Atomic(-1)
    let inbox: CurlInbox
    /// What is left of a coded body; `nil` for others.
    let decoding = Mutex<BodyDecoding?>(nil)
    private let state = Atomic(State.running)
    private let flow = Atomic(Flow.flowing)

    private enum State: UInt8, AtomicRepresentable {
      case running, cancelled, ended
    }

    private enum Flow: UInt8, AtomicRepresentable {
      case flowing
      /// The next piece of the body is to be held up.
      case pausing
      /// A piece was held up.
      case paused
    }

    init(_ request: WireRequest, _ receiver: any ExchangeReceiver, _ inbox: CurlInbox) {
      self.request = request
      self.receiver = receiver
      self.inbox = inbox
    }

    func cancel() {
      let wasRunning = state.compareExchange(
        expected: .running, desired: .cancelled, ordering: .acquiringAndReleasing
      ).exchanged
      if wasRunning { _ = inbox.submit(.cancel(self)) }
    }

    func pause() {
      _ = flow.compareExchange(
        expected: .flowing, desired: .pausing, ordering: .acquiringAndReleasing)
    }

    func resume() {
      let wasPaused = flow.exchange(.flowing, ordering: .acquiringAndReleasing) == .paused
      guard wasPaused else { return }
      resumeDecoding()
      _ = inbox.submit(.resume(self))
    }
  }

  // MARK: - For the engine

  extension CurlExchange {
    /// Whether a piece of the body that has come is to be held up until `resume` arrives in the inbox.
    func holds() -> Bool {
      flow.compareExchange(
        expected: .pausing, desired: .paused, ordering: .acquiringAndReleasing
      ).exchanged
    }

    var isCancelled: Bool { state.load(ordering: .acquiring) == .cancelled }

    var isRunning: Bool { state.load(ordering: .acquiring) == .running }

    /// Tells the end, unless it was cancelled. Only the first time counts.
    func end(_ failure: LoadError?) {
      let wasRunning = state.compareExchange(
        expected: .running, desired: .ended, ordering: .acquiringAndReleasing
      ).exchanged
      if wasRunning { receiver.finished(failure) }
    }
  }
#endif

#if Curl && canImport(CResourceCurl)
  import Foundation

  /// Reads the body of a request piece by piece.
  struct CurlUpload {
    private let body: WireBody?
    private var reader: WireBodyReader?
    /// How many bytes were read.
    private(set) var count = 0

    /// Reads a body; `nil` for none.
    init(_ body: WireBody? = nil) {
      self.body = body
      reader = body?.makeReader()
    }

    /// How many bytes there are in all.
    var length: Int { body?.length ?? 0 }

    /// - Returns: How many bytes there were, 0 at the end.
    /// - Throws: `LoadError` if a file can't be read.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoadError) -> Int {
      do {
        guard let chunk = try reader?.next(atMost: buffer.count) else { return 0 }
        count += chunk.count
        return chunk.copyBytes(to: buffer)
      } catch {
        throw LoadError(sending: error)
      }
    }

    /// Begins again.
    mutating func rewind() { self = CurlUpload(body) }
  }
#endif
