public import Foundation

/// An engine that puts requests on the wire. It sends one request and tells what comes back; redirects,
/// limits, time and everything else are decided above it.
///
/// ``URLSessionTransport`` is one. A client takes another in ``Client/Configuration/transport``.
public protocol Transport: Sendable {
  /// Starts to send a request and returns at once.
  ///
  /// - Parameters:
  ///   - request: What to send. Its headers are complete but for those of the connection, such as `Host`
  ///     and `Content-Length`.
  ///   - receiver: Is told what happens, in order, until the end has been told exactly once.
  /// - Returns: The way to stop it.
  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange

  /// Whether it tells what arrives while it does, so that idle time can be measured above it. Without that
  /// ``WireRequest/idleTimeout`` is its own business.
  var deliversIncrementally: Bool { get }
}

extension Transport {
  /// `true`.
  public var deliversIncrementally: Bool { true }
}

/// One request under way.
public protocol Exchange: AnyObject, Sendable {
  /// Stops it. Never blocks. The receiver may be told an end or nothing more.
  func cancel()

  /// Asks that no more of the body be told for now. Never blocks; what is under way may still come. A
  /// transport that can't hold a server back does nothing.
  func pause()

  /// Asks that the body be told again. Never blocks.
  func resume()
}

extension Exchange {
  /// Does nothing.
  public func pause() {}

  /// Does nothing.
  public func resume() {}
}

/// Is told what comes back for one request.
public protocol ExchangeReceiver: AnyObject, Sendable {
  /// A head arrived. If there was one before, that one and its body count for nothing (RFC 9110 section
  /// 15.2: any number of 1xx may come first).
  func received(_ head: ResponseHead)

  /// A piece of the body arrived, its content coding removed.
  func received(_ chunk: Data)

  /// More of the request's body was sent. For progress; a transport that doesn't know tells nothing.
  ///
  /// - Parameters:
  ///   - count: How many bytes were sent so far.
  ///   - total: How many there are in all; `nil` if that isn't known.
  func sent(_ count: Int, of total: Int?)

  /// Whether ``measured(_:)`` is of use.
  var wantsMetrics: Bool { get }

  /// The exchange is as good as over, and took this long. Called before the end, if it is wanted and known.
  func measured(_ metrics: ExchangeMetrics)

  /// Nothing more will come: the response is whole, or it failed.
  ///
  /// - Parameter failure: Why there is no whole response; `nil` if there is.
  func finished(_ failure: LoadError?)
}

extension ExchangeReceiver {
  /// `false`.
  public var wantsMetrics: Bool { false }

  /// Does nothing.
  public func measured(_ metrics: ExchangeMetrics) {}

  /// Does nothing.
  public func sent(_ count: Int, of total: Int?) {}
}

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
