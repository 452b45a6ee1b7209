#if Curl && canImport(CResourceCurl)
  import Dispatch
  import Foundation
  import Synchronization

  // Decoding a body: what is short on the engine's thread, where it arrives; the rest on a thread of its own,
  // so that no other exchange waits for it.

  extension CurlExchange {
    /// Gets ready for the body of a response.
    ///
    /// - Parameter head: Loses what won't be true of the decoded body.
    /// - Returns: Whether there is something to decode.
    /// - Throws: `LoadError` if there are too many codings.
    func begin(_ head: inout ResponseHead) throws(LoadError) -> Bool {
      try decoding.withLock { (decoding) throws(LoadError) in
        decoding = try ContentDecoder(of: &head, for: request).map { BodyDecoding($0) }
        return decoding != nil
      }
    }

    /// Takes a piece of a coded body.
    ///
    /// - Returns: Whether to go on; `nil` if the same bytes are to come again later.
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

    /// Tells the end once the body is decoded.
    func finish(_ failure: LoadError?, _ metrics: ExchangeMetrics? = nil) {
      guard let works = decoding.withLock({ $0?.finish(failure, metrics) }) else {
        return end(failure, metrics)
      }
      if works { decode(steps: Self.stepsAtOnce) }
    }

    /// Goes on with what was held up.
    func resumeDecoding() {
      if decoding.withLock({ $0?.resume() }) == true { decodeElsewhere() }
    }
  }

  extension CurlExchange {
    /// How much is done on the engine's thread before others get their turn: at most four pieces come of it,
    /// 256 KiB.
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
      // A queue of its own, so that it gets a thread at once.
      DispatchQueue(label: "ResourceLoading.CurlExchange").async { self.decode(steps: .max) }
    }

    private func end(_ failure: LoadError?, _ metrics: ExchangeMetrics?) {
      if let metrics, isRunning { receiver.measured(metrics) }
      end(failure)
    }
  }
#endif
