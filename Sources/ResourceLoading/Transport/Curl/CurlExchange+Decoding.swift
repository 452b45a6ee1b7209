#if Curl && canImport(CResourceCurl)
  import Dispatch
  import Foundation
  import Synchronization

  // Decoding a body: a short one on the engine's thread, the rest of a longer one on another
  // thread, so that no other exchange waits for it.

  extension CurlExchange {
    /// Prepares for the body of a response, and removes from its head what isn't true of the
    /// decoded body. Returns whether the body has to be decoded.
    func begin(_ head: inout ResponseHead) throws(LoadError) -> Bool {
      try decoding.withLock { (decoding) throws(LoadError) in
        decoding = try ContentDecoder(of: &head, for: request).map { BodyDecoding($0) }
        return decoding != nil
      }
    }

    /// Decodes a piece of a coded body. Returns whether to continue; `nil` if the same bytes have
    /// to be delivered again later.
    func decode(_ bytes: Data) -> Bool? {
      switch decoding.withLock({ $0?.take(bytes) }) {
      case .work:
        decode(steps: Self.stepsAtOnce)
        return isRunning
      case .taken: return true
      case .full: return nil
      case nil: return false
      }
    }

    /// Reports the end once the body is decoded.
    func finish(_ failure: LoadError?, _ metrics: ExchangeMetrics? = nil) {
      guard let works = decoding.withLock({ $0?.finish(failure, metrics) }) else {
        return end(failure, metrics)
      }
      if works { decode(steps: Self.stepsAtOnce) }
    }

    /// Continues to decode a paused body.
    func resumeDecoding() {
      if decoding.withLock({ $0?.resume() }) == true { decodeElsewhere() }
    }
  }

  extension CurlExchange {
    /// The number of steps on the engine's thread before other exchanges have their turn: at most
    /// four pieces, 256 KiB.
    private static let stepsAtOnce = 8

    private func decode(steps: Int) {
      for _ in 0..<steps {
        switch next() {
        case .deliver(let piece): receiver.received(piece)
        case .proceed: break
        case .wait: return
        case .refill: return inbox.submit(.resume(self))
        case .end(let failure, let metrics):
          decoding.withLock { $0 = nil }
          end(failure, metrics)
          // The server may still be sending.
          if failure != nil { inbox.submit(.cancel(self)) }
          return
        }
      }
      decodeElsewhere()
    }

    private func next() -> BodyDecoding.Step {
      let isRunning = isRunning
      return decoding.withLock { decoding in
        if !isRunning { decoding = nil }
        return decoding?.next(holds: holds()) ?? .wait
      }
    }

    private func decodeElsewhere() {
      // A separate serial queue gets a thread immediately.
      DispatchQueue(label: "ResourceLoading.CurlExchange").async { self.decode(steps: .max) }
    }
  }

  /// The state machine that decodes the body of one exchange: each event returns the action to
  /// perform after unlocking.
  struct BodyDecoding {
    /// The result of adding a piece of the coded body.
    enum Receipt {
      /// The caller has to decode it.
      case work
      /// Another thread is decoding.
      case taken
      /// There is no room. The engine has to deliver it again when it is resumed.
      case full
    }

    /// The next step of the thread that decodes.
    enum Step {
      case deliver(Data)
      case proceed
      /// Stop: there is nothing to decode for now.
      case wait
      /// Stop, and resume the engine.
      case refill
      case end(LoadError?, ExchangeMetrics?)
    }

    private var decoder: ContentDecoder
    private var end: (failure: LoadError?, metrics: ExchangeMetrics?)?
    /// Whether a thread is decoding.
    private var isWorking = false
    /// Whether the receiver has paused the exchange.
    private var isHeld = false
    /// Whether the engine holds a piece back.
    private var isFull = false

    /// The maximum number of bytes that wait for being decoded: 256 KiB.
    private static let maximumBacklog = 256 << 10

    init(_ decoder: ContentDecoder) { self.decoder = decoder }
  }

  extension BodyDecoding {
    mutating func take(_ bytes: Data) -> Receipt {
      let backlog = decoder.input.count
      guard backlog == 0 || backlog + bytes.count <= Self.maximumBacklog else {
        isFull = true
        return .full
      }
      decoder.feed(bytes)
      return begin() ? .work : .taken
    }

    /// Records the end of the coded body. Returns whether the caller has to decode the rest.
    mutating func finish(_ failure: LoadError?, _ metrics: ExchangeMetrics?) -> Bool {
      end = (failure, metrics)
      return begin()
    }

    /// Records that the receiver has resumed the exchange. Returns whether the caller has to decode
    /// the rest.
    mutating func resume() -> Bool {
      guard isHeld else { return false }
      isHeld = false
      return begin()
    }

    private mutating func begin() -> Bool {
      guard !isWorking, !isHeld || end?.failure != nil else { return false }
      isWorking = true
      return true
    }
  }

  extension BodyDecoding {
    /// - Parameter holds: Whether the receiver has paused the exchange.
    mutating func next(holds: Bool) -> Step {
      if let end, end.failure != nil { return .end(end.failure, end.metrics) }
      guard !holds else {
        (isHeld, isWorking) = (true, false)
        return .wait
      }
      do throws(LoadError) {
        if let piece = try decoder.next() { return piece.isEmpty ? .proceed : .deliver(piece) }
      } catch {
        return .end(error, nil)
      }
      if let end { return .end(decoder.end(), end.metrics) }
      isWorking = false
      guard isFull else { return .wait }
      isFull = false
      return .refill
    }
  }
#endif
