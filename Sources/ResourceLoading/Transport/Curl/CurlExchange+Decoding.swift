#if Curl && canImport(CResourceCurl)
  import Dispatch
  import Foundation
  import Synchronization

  // Decoding a body: a short one on the engine's thread, the rest of a longer one on another thread, so that no other
  // exchange waits for it.

  extension CurlExchange {
    /// Prepares for the body of a response.
    ///
    /// - Parameter head: The head, from which what isn't true of the decoded body is removed.
    /// - Returns: Whether the body has to be decoded.
    /// - Throws: `LoadError` if there are too many codings.
    func begin(_ head: inout ResponseHead) throws(LoadError) -> Bool {
      try decoding.withLock { (decoding) throws(LoadError) in
        decoding = try ContentDecoder(of: &head, for: request).map { BodyDecoding($0) }
        return decoding != nil
      }
    }

    /// Decodes a piece of a coded body.
    ///
    /// - Returns: Whether to continue; `nil` if the same bytes have to be delivered again later.
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
    /// The number of steps on the engine's thread before other exchanges have their turn: at most four pieces, 256 KiB.
    private static let stepsAtOnce = 8

    private func decode(steps: Int) {
      for _ in 0..<steps {
        switch next() {
        case .tell(let piece): receiver.received(piece)
        case .goOn: break
        case .rest: return
        case .ask:
          _ = inbox.submit(.resume(self))
          return
        case .end(let failure, let metrics):
          decoding.withLock { $0 = nil }
          end(failure, metrics)
          // The server may still be sending.
          if failure != nil { _ = inbox.submit(.cancel(self)) }
          return
        }
      }
      decodeElsewhere()
    }

    private func next() -> BodyDecoding.Step {
      let isRunning = isRunning
      return decoding.withLock { decoding in
        if !isRunning { decoding = nil }
        return decoding?.next(holds: holds()) ?? .rest
      }
    }

    private func decodeElsewhere() {
      // A serial queue of its own gets a thread at once.
      DispatchQueue(label: "ResourceLoading.CurlExchange").async { self.decode(steps: .max) }
    }

    private func end(_ failure: LoadError?, _ metrics: ExchangeMetrics?) {
      if let metrics, isRunning { receiver.measured(metrics) }
      end(failure)
    }
  }
#endif
