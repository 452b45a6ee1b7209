extension LoopbackServer {
  /// What a server has counted up to one moment.
  public struct Statistics: Sendable, Hashable {
    /// Connections accepted in all.
    public internal(set) var accepted = 0

    /// Connections open now. A client's closing counts from when the server notices it.
    public internal(set) var open = 0

    /// The most connections that were open at once.
    public internal(set) var peakOpen = 0

    /// Requests received in all, broken-off ones included.
    public internal(set) var requests = 0

    /// Requests whose head has arrived and whose answer isn't complete. A request stops counting
    /// just before the last bytes of its answer are written, so never later than the client
    /// can see them.
    public internal(set) var inFlight = 0

    /// The most requests that were in flight at once.
    public internal(set) var peakInFlight = 0

    /// Connections that the client closed or reset, for whatever reason.
    public internal(set) var disconnects = 0

    /// Connections that the client closed or reset inside a request or before it had its answer.
    public internal(set) var aborts = 0

    /// Things that arrived and were no HTTP/1 request; each was answered with 400.
    public internal(set) var malformed = 0

    init() {}
  }
}
