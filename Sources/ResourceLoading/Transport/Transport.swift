import Dispatch
public import Foundation

/// An engine that puts requests on the wire. It sends one request and reports the response;
/// redirects, limits, timeouts and everything else are implemented above it.
///
/// ``URLSessionTransport`` is one. ``Client/Configuration/transport`` sets that of a client.
public protocol Transport: Sendable {
  /// Starts an exchange and returns at once.
  ///
  /// - Parameters:
  ///   - request: The request. Its headers are complete except for those of the connection, such as
  ///     `Host` and `Content-Length`.
  ///   - receiver: Receives the response, one call after another. The last call is
  ///     ``ExchangeReceiver/finished(_:)``, exactly once.
  /// - Returns: The exchange, for cancelling it.
  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange

  /// Whether it reports bytes as they arrive, so that idle time can be measured above it. Otherwise
  /// the transport enforces ``WireRequest/idleTimeout`` itself.
  var deliversIncrementally: Bool { get }

  /// Returns a text about everything by which a server may recognise a user, besides the request: a
  /// client certificate, the credentials of a proxy, a socket, cookies and headers that the
  /// transport adds. Requests with different texts share no response and no part of a cache, which
  /// stores only a hash.
  ///
  /// - Parameter url: The URL of a request.
  /// - Returns: The text; `nil`, the default, if the transport adds nothing.
  func identity(for url: URL) -> String?

  /// Whether it reports interim responses (1xx). Without them an upload that can be resumed by the
  /// IETF protocol is created by a request of its own; see <doc:LargeUploads>.
  var deliversInterimResponses: Bool { get }

  /// Whether it reads bodies by ``WireBodyReader/next(atMost:whenReady:)``, so that the last bytes
  /// of an upload can wait until it is stored that they are sent. Without that it is stored before
  /// the last request is sent, so that more uploads count as possibly complete after a crash.
  var canDelayBodies: Bool { get }

  /// Whether ``Exchange/approve(_:)`` of its exchanges may decline a redirect. If so, the whole
  /// body of each redirect is received.
  var mayDeclineRedirects: Bool { get }

  /// Whether requests may switch protocols, as WebSockets do: ``WireRequest/switchesProtocols``.
  var canSwitchProtocols: Bool { get }
}

extension Transport {
  /// `true`.
  public var deliversIncrementally: Bool { true }

  /// `false`.
  public var deliversInterimResponses: Bool { false }

  /// `false`.
  public var canDelayBodies: Bool { false }

  /// `nil`.
  public func identity(for url: URL) -> String? { nil }

  /// `false`.
  public var mayDeclineRedirects: Bool { false }

  /// `false`.
  public var canSwitchProtocols: Bool { false }
}

/// A running request of a transport.
public protocol Exchange: AnyObject, Sendable {
  /// Cancels the exchange without blocking. The receiver may still receive the end, or nothing
  /// more.
  func cancel()

  /// Pauses the body without blocking. Bytes that have been read may still be delivered. A
  /// transport that can't pause does nothing.
  func pause()

  /// Continues a paused body without blocking.
  func resume()

  /// Finds out how long ago bytes last passed, including those that weren't reported to the
  /// receiver: a part of a head, and a part of the request that waited in the buffers of the
  /// system. It is called before a load fails because it was idle.
  ///
  /// It doesn't block. If the exchange has ended, the closure needn't be called.
  ///
  /// - Parameter report: Called once, on any thread, with the time; `nil` if everything that is
  ///   known was reported to the receiver.
  func findIdleTime(_ report: @escaping @Sendable (Duration?) -> Void)

  /// Decides about the redirect that this exchange ended with.
  ///
  /// - Parameter next: The request that follows it.
  /// - Returns: The request to send, which may be changed; `nil` if the redirect is declined, so
  ///   that it is the final response.
  func approve(_ next: WireRequest) async throws -> WireRequest?

  /// Sends bytes on a connection that has switched protocols, after those of earlier calls, without
  /// blocking.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - report: Called once, on any thread, in the order of the calls: `true` when the system has
  ///     taken the bytes, `false` if the connection ended before.
  func send(_ bytes: Data, whenTaken report: @escaping @Sendable (Bool) -> Void)
}

extension Exchange {
  /// Does nothing.
  public func pause() {}

  /// Does nothing.
  public func resume() {}

  /// Reports `nil`.
  public func findIdleTime(_ report: @escaping @Sendable (Duration?) -> Void) { report(nil) }

  /// Returns the request unchanged.
  public func approve(_ next: WireRequest) async throws -> WireRequest? { next }

  /// Reports `false`.
  public func send(_ bytes: Data, whenTaken report: @escaping @Sendable (Bool) -> Void) {
    report(false)
  }
}

/// Receives the response to one request.
public protocol ExchangeReceiver: AnyObject, Sendable {
  /// Receives a head. It replaces an earlier one and its body.
  func received(_ head: ResponseHead)

  /// Receives an interim head, such as 103 or 104, of which any number may come before the final
  /// one (RFC 9110 section 15.2). Only a transport that ``Transport/deliversInterimResponses``
  /// calls it.
  func received(interim head: ResponseHead)

  /// Receives the trailers of the body (RFC 9110 section 6.5), right before the end. A transport
  /// that doesn't know them needn't call it.
  func received(trailers: Headers)

  /// Receives a piece of the body, with its content coding removed.
  func received(_ chunk: Data)

  /// Reports that more of the request's body has left the process, for progress. A transport that
  /// doesn't know needn't call it.
  ///
  /// - Parameters:
  ///   - count: The number of bytes that were sent so far.
  ///   - total: The number of all bytes; `nil` if it isn't known.
  func sent(_ count: Int, of total: Int?)

  /// Whether ``measured(_:)`` is used.
  var wantsMetrics: Bool { get }

  /// Reports how long the exchange took, right before its end. It is called if ``wantsMetrics`` is
  /// set and the times are known.
  func measured(_ metrics: ExchangeMetrics)

  /// Reports the end: the response is complete, or it failed.
  ///
  /// - Parameter failure: The reason why the response isn't complete; `nil` if it is.
  func finished(_ failure: LoadError?)
}

extension ExchangeReceiver {
  /// Does nothing.
  public func received(interim head: ResponseHead) {}

  /// Does nothing.
  public func received(trailers: Headers) {}

  /// `false`.
  public var wantsMetrics: Bool { false }

  /// Does nothing.
  public func measured(_ metrics: ExchangeMetrics) {}

  /// Does nothing.
  public func sent(_ count: Int, of total: Int?) {}
}

/// The times of one exchange, and the bytes on the wire.
///
/// Times count from when the request was handed to the transport. Those that a transport doesn't
/// know, or that didn't happen, are `nil`: ``URLSessionTransport`` knows the first byte and the end
/// only.
public struct ExchangeMetrics: Sendable, Hashable {
  /// When the transport began the exchange.
  public var began: Duration?

  /// When the host name was resolved; `nil` for a reused connection.
  public var nameLookedUp: Duration?

  /// When the connection was established, without TLS; `nil` for a reused connection.
  public var connected: Duration?

  /// When the TLS handshake was complete; `nil` for a reused connection or one without TLS.
  public var secured: Duration?

  /// When the first byte of the response arrived; `nil` if none did.
  public var firstByte: Duration?

  /// When the exchange ended.
  public var ended: Duration

  /// The number of bytes of the request's body that were sent.
  public var bytesSent: Int?

  /// The number of bytes of the response's body that arrived, before its content coding was
  /// removed.
  public var bytesReceived: Int?

  /// Whether the connection was reused.
  public var isConnectionReused: Bool?

  /// The protocol: `HTTP/1.1` or `HTTP/2`.
  public var httpVersion: String?

  /// The other end of the connection: the server, or a proxy; `nil` for a Unix socket.
  public var peer: Peer?

  /// The other end of a connection.
  public struct Peer: Sendable, Hashable {
    /// The address of IPv4 or IPv6, without brackets.
    public var address: String
    /// The port.
    public var port: Int

    /// Creates the other end of a connection.
    public init(address: String, port: Int) { (self.address, self.port) = (address, port) }
  }

  /// What the server spent its time on, according to `Server-Timing`; set above the transport.
  public internal(set) var serverTimings: [ServerTiming] = []

  /// Creates the metrics of an exchange.
  ///
  /// - Parameter ended: When the exchange ended.
  public init(ended: Duration) { self.ended = ended }
}

extension ExchangeMetrics: CustomStringConvertible {
  /// The metrics in a line: `HTTP/1.1, connection reused, first byte after 0.0012 seconds, ended
  /// after 0.0013 seconds`.
  public var description: String {
    let moments: [(String, Duration?)] = [
      ("began", began), ("name looked up", nameLookedUp), ("connected", connected),
      ("secured", secured), ("first byte", firstByte), ("ended", ended),
    ]
    let parts =
      [httpVersion, isConnectionReused == true ? "connection reused" : nil]
      + moments.map { name, moment in moment.map { "\(name) after \($0)" } }
      + [
        serverTimings.isEmpty ? nil : "server: \(serverTimings.map(\.text).joined(separator: ", "))"
      ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

/// Sends nothing, and fails each request: the transport of a client with an invalid configuration.
struct FailingTransport: Transport {
  let failure: LoadError

  /// Reports the failure, soon and on another thread.
  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    DispatchQueue.global().async { receiver.finished(failure) }
    return FailedExchange()
  }

  private final class FailedExchange: Exchange {
    func cancel() {}
  }
}
