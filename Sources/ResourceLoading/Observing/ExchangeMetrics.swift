/// How long the steps of one exchange took, and what went over the wire.
///
/// The moments count from when the request was handed to the transport. What a transport doesn't know, or
/// what didn't happen, is `nil`: ``URLSessionTransport`` knows the first byte and the end only.
public struct ExchangeMetrics: Sendable, Hashable {
  /// When the transport began with it.
  public var began: Duration?

  /// When the host name was looked up; `nil` if the connection was there already.
  public var nameLookedUp: Duration?

  /// When the connection stood, without TLS; `nil` if it was there already.
  public var connected: Duration?

  /// When TLS was agreed on; `nil` if the connection was there already, or has none.
  public var secured: Duration?

  /// When the first byte of the response came; `nil` if none did.
  public var firstByte: Duration?

  /// When it was over.
  public var ended: Duration

  /// How many bytes of the request's body were sent.
  public var bytesSent: Int?

  /// How many bytes of the response's body arrived, before its content coding was removed.
  public var bytesReceived: Int?

  /// Whether the connection was there already.
  public var isConnectionReused: Bool?

  /// What was spoken: `HTTP/1.1`, `HTTP/2`.
  public var httpVersion: String?

  /// Makes a record, as a transport does.
  ///
  /// - Parameter ended: When it was over.
  public init(ended: Duration) { self.ended = ended }
}

extension ExchangeMetrics: CustomStringConvertible {
  /// In a line: `HTTP/1.1, connection reused, first byte after 0.0012 seconds, ended after 0.0013 seconds`.
  public var description: String {
    let moments: [(String, Duration?)] = [
      ("began", began), ("name looked up", nameLookedUp), ("connected", connected),
      ("secured", secured), ("first byte", firstByte), ("ended", ended),
    ]
    let parts =
      [httpVersion, isConnectionReused == true ? "connection reused" : nil]
      + moments.map { name, moment in moment.map { "\(name) after \($0)" } }
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}
