import Foundation
import ResourcePrimitives

// Failures that several engines report in the same words.

extension LoadError {
  static let transportClosed = LoadError(
    .closed, "the transport was closed", advice: "Load with one that is in use")

  package static let unknownHost = LoadError(
    .connection, "the host name can't be resolved", advice: "Check the host name and the network")

  package static let unreachable = LoadError(
    .connection, "the server can't be reached", advice: "Check that it runs on that host and port")

  package static let connectionLost = LoadError(.connection, "the connection was lost")

  static let unanswered = LoadError(
    .connection, "the server closed the connection without an answer")

  static let incomplete = LoadError(
    .connection, "the connection failed before a whole response was read")

  static let unpinned = LoadError(
    .secureConnection, "the server's public key isn't one of those that are pinned",
    advice: "Pin its new key if it has changed")

  static let untrusted = LoadError(
    .secureConnection, "the server's certificate isn't trusted",
    advice: "Trust its authority by additionalAuthorities if that is right")

  /// Advice for a TLS handshake that failed with a text of the TLS library: what a server answers
  /// that expects plain HTTP can't be read as TLS.
  static func handshakeAdvice(_ text: String) -> String {
    let plain = [
      "wrong version number", "packet length", "record overflow", "unexpected TLS packet",
    ]
    return plain.contains(where: text.includes)
      ? "The port doesn't seem to speak TLS: use http, or the port for https"
      : "Check that the port speaks TLS, and which versions"
  }

  /// Returns the error with the engine's text in its reason and in the underlying error. Durations
  /// are removed, so that equal failures have equal texts.
  func explained(
    by text: String, _ underlying: (String) -> (any Error)? = { _ in nil }
  ) -> LoadError {
    let text = text.replacing(#/ after \d+ ms/#, with: "")
    var error = self
    error.reason += " (\(text))"
    error.underlying = underlying(text)
    return error
  }
}

extension LoadError {
  /// Whether the request certainly wasn't sent, because no connection was made. `false` means that
  /// it may have been.
  package var isUnsent: Bool {
    guard attempts.count <= 1 else { return false }
    switch kind {
    case .invalidRequest, .address, .secureConnection: return true
    case .connection, .timedOut: return hasNoConnection
    default: return false
    }
  }

  private var hasNoConnection: Bool {
    (underlying as? any TransportFailure)?.isWithoutConnection ?? false
  }
}

/// A failure as an engine reports it, the underlying error of a `LoadError`.
protocol TransportFailure: Error {
  /// Whether no connection was made, so that nothing was sent.
  var isWithoutConnection: Bool { get }
}

/// A failure before a connection was made, as a simulation or a recording has it.
package struct MissingConnection: TransportFailure, CustomStringConvertible {
  var isWithoutConnection: Bool { true }

  package var description: String { "no connection was made" }

  package init() {}
}

#if os(Linux) && !URLSession
  extension LoadError {
    /// The failure of a load for an error of `URLSession`, of which there is none here.
    package init?(ofURLSession error: any Error) { return nil }
  }
#endif
