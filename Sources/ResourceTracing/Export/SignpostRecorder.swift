#if canImport(os)
  import os

  /// Shows loads and requests as intervals in Instruments (`os_signpost`), beside everything else
  /// that the program does.
  public struct SignpostRecorder: SpanRecorder {
    private let signposter: OSSignposter

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - subsystem: The subsystem of the log, such as the identifier of the app.
    ///   - category: The category of the log.
    public init(subsystem: String, category: String = "ResourceLoading") {
      signposter = OSSignposter(subsystem: subsystem, category: category)
    }

    /// Begins an interval.
    public func begin(_ span: TraceSpan) -> TraceContext? {
      guard signposter.isEnabled else { return nil }
      let id = OSSignpostID(span.firstID.rawValue)
      switch span.kind {
      case .load: _ = signposter.beginInterval("load", id: id, "\(span.name, privacy: .public)")
      case .exchange:
        _ = signposter.beginInterval("exchange", id: id, "\(span.name, privacy: .public)")
      }
      return nil
    }

    /// Ends the interval.
    public func end(_ span: TraceSpan) {
      // The identifier is enough to end the interval: no state is kept.
      let state = OSSignpostIntervalState.beginState(id: OSSignpostID(span.firstID.rawValue))
      switch span.kind {
      case .load: signposter.endInterval("load", state)
      case .exchange: signposter.endInterval("exchange", state)
      }
    }
  }
#endif
