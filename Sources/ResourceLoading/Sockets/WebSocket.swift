public import Foundation
import ResourcePrimitives

/// A WebSocket (RFC 6455) that a client can connect: a value, as a request is one.
///
/// ```swift
/// let socket = client.socket(.get("/live"))
/// try await socket.withConnection { connection in
///   try await connection.send("hello")
///   for try await message in connection.messages { print(message) }
/// }
/// ```
///
/// The handshake is a load of the client: with its base URL, headers, cookies, middleware,
/// authentication, redirects, TLS options and proxy. It needs a transport that can switch
/// protocols: ``Transport/canSwitchProtocols``.
public struct WebSocket: Sendable {
  /// The request of the handshake, a `GET`. An absolute URL may have the scheme `ws` or `wss`.
  public var request: Request

  /// The settings.
  public var options: Options

  let client: any SocketClient
  /// The signals that end pauses between connections; `nil` for none.
  var signals: ReconnectionSignals.Listening?
}

extension WebSocket {
  /// A message, which arrives whole.
  public enum Message: Sendable, Hashable {
    /// A text.
    case text(String)
    /// Bytes.
    case binary(Data)
  }

  /// The reason for which a socket was closed.
  public struct Closure: Sendable, Hashable {
    /// The code; `nil` if there was none.
    public var code: CloseCode?

    /// The reason in words, often empty; at most 123 bytes are sent.
    public var reason: String

    /// Creates a reason.
    ///
    /// - Parameters:
    ///   - code: The code; `nil` for none.
    ///   - reason: The reason in words.
    public init(code: CloseCode? = nil, reason: String = "") {
      (self.code, self.reason) = (code, reason)
    }
  }

  /// The code of a closure (RFC 6455 section 7.4, and the registry of IANA).
  public struct CloseCode: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: UInt16

    /// Creates a code. Those from 3000 to 3999 are registered, those from 4000 to 4999 are free to
    /// use.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The purpose of the connection is fulfilled.
    public static let normal = CloseCode(rawValue: 1000)
    /// The other side goes away: a server that shuts down.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// The other side broke the protocol.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// A message is of a kind that can't be accepted.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// A message isn't what its kind says, such as text that isn't UTF-8.
    public static let invalidData = CloseCode(rawValue: 1007)
    /// A message breaks a policy.
    public static let policyViolation = CloseCode(rawValue: 1008)
    /// A message is too large.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// The server met something that it didn't expect.
    public static let internalError = CloseCode(rawValue: 1011)
    /// The server restarts.
    public static let serviceRestart = CloseCode(rawValue: 1012)
    /// The server is overloaded.
    public static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether a close frame may have it: others are reserved, or stand for an end without one.
    var maySend: Bool {
      switch rawValue {
      case 1000...1003, 1007...1014, 3000...4999: true
      default: false
      }
    }
  }

  /// The settings of a socket.
  public struct Options: Sendable, Hashable {
    /// The subprotocols to offer, the preferred one first.
    public var subprotocols: [String] = []

    /// Whether to offer compression (`permessage-deflate`, RFC 7692), which takes up to 300 KiB for
    /// each socket that uses it, and lets whoever sees the sizes of messages guess at secrets in
    /// them (RFC 7692 section 8). Only ``CurlTransport`` can compress.
    public var compresses = false

    /// The maximum number of bytes in a message, also after it is decompressed. A larger one closes
    /// the socket with ``CloseCode/messageTooBig``, and so does one of more than 4 MiB that is more
    /// than 500 times as large as what was sent for it.
    public var maximumMessageSize = 16 << 20

    /// The time between two pings, at least a millisecond; `nil` for none. A server that has sent
    /// nothing for two of them is gone. While messages wait for a reader, nothing is taken from the
    /// connection; then it is one that has taken nothing of what is sent, while nothing was read.
    public var pingInterval: Duration? = .seconds(30)

    /// How long the handshake may take; the time limit of the request, if it has one, takes
    /// precedence.
    public var connectTimeout = Duration.seconds(30)

    /// How long to wait for the other side's close frame, and for it to close the connection.
    public var closeTimeout = Duration.seconds(5)

    /// Creates the default settings.
    public init() {}
  }
}

extension WebSocket.Message: ExpressibleByStringLiteral {
  /// Creates a text.
  public init(stringLiteral text: String) { self = .text(text) }
}

extension WebSocket.Closure: CustomStringConvertible {
  /// The code and the reason: `1001, the server restarts`.
  public var description: String {
    let code = code.map { String($0.rawValue) } ?? "no code"
    return reason.isEmpty ? code : "\(code), \(reason.printable)"
  }
}
