#if Curl && canImport(CResourceZlib)
  import Foundation

  /// The state machine that decodes the body of one exchange: each event returns the action to perform after unlocking.
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
      case tell(Data)
      case goOn
      /// Stop: there is nothing to decode for now.
      case rest
      /// Stop, and resume the engine.
      case ask
      case end(LoadError?, ExchangeMetrics?)
    }

    private var decoder: ContentDecoder
    /// The pieces that aren't decoded yet.
    private var backlog = Data()
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
      guard backlog.isEmpty || backlog.count + bytes.count <= Self.maximumBacklog else {
        isFull = true
        return .full
      }
      if backlog.isEmpty { backlog = bytes } else { backlog.append(bytes) }
      return begin() ? .work : .taken
    }

    /// Records the end of the coded body.
    ///
    /// - Returns: Whether the caller has to decode the rest.
    mutating func finish(_ failure: LoadError?, _ metrics: ExchangeMetrics?) -> Bool {
      end = (failure, metrics)
      return begin()
    }

    /// Records that the receiver has resumed the exchange.
    ///
    /// - Returns: Whether the caller has to decode the rest.
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
        return .rest
      }
      do throws(LoadError) {
        if let piece = try decoder.next() { return piece.isEmpty ? .goOn : .tell(piece) }
      } catch {
        return .end(error, nil)
      }
      guard backlog.isEmpty else {
        decoder.feed(backlog)
        backlog = Data()
        return .goOn
      }
      if let end { return .end(decoder.end(), end.metrics) }
      isWorking = false
      guard isFull else { return .rest }
      isFull = false
      return .ask
    }
  }
#endif
