#if Curl && canImport(CResourceZlib)
  import Foundation

  /// What is left to decode and to tell of the body of one exchange, without the lock: each event returns what
  /// is to be done after unlocking.
  struct BodyDecoding {
    /// What became of a piece of the coded body.
    enum Receipt {
      /// Whoever brought it decodes it now.
      case work
      /// Somebody is at it.
      case taken
      /// There is no room. It is to come again when the engine is asked to go on.
      case full
    }

    /// What whoever decodes does next.
    enum Step {
      case tell(Data)
      case goOn
      /// Nothing is left for now.
      case rest
      /// The same, and the engine is to go on with what it held up.
      case ask
      case end(LoadError?, ExchangeMetrics?)
    }

    private var decoder: ContentDecoder
    /// What has come and wasn't decoded.
    private var backlog = Data()
    private var end: (failure: LoadError?, metrics: ExchangeMetrics?)?
    /// Whether somebody is decoding: one at a time.
    private var isWorking = false
    /// Whether the receiver wants nothing for now.
    private var isHeld = false
    /// Whether the engine holds a piece up.
    private var isFull = false

    /// How many bytes wait for being decoded at most: 256 KiB.
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

    /// Nothing more will come.
    ///
    /// - Returns: Whether the caller is to decode the rest.
    mutating func finish(_ failure: LoadError?, _ metrics: ExchangeMetrics?) -> Bool {
      end = (failure, metrics)
      return begin()
    }

    /// The receiver wants to be told again.
    ///
    /// - Returns: Whether the caller is to decode the rest.
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
    /// - Parameter holds: Whether the receiver wants nothing for now.
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
