package import Foundation

/// Follows the exchanges of a client's loads: each attempt, each redirect, and what the renewal of a credential sends.
///
/// A client takes the first of its middleware that conforms. Exchanges run in the tasks of their loads or in tasks made
/// there, so that task-local values of the middleware reach this.
package protocol ExchangeObserver: Sendable {
  /// An exchange is about to begin.
  ///
  /// - Parameters:
  ///   - exchange: What is known of it.
  ///   - headers: The headers of the request, which may be changed. Changes hold for this exchange only: a redirect from
  ///     here begins with the headers as they were. The signature and the last check come afterwards.
  /// - Returns: What is told about the exchange; `nil` for nothing.
  func begin(_ exchange: ObservedExchange, _ headers: inout Headers) -> (any ExchangeFollower)?
}

/// Is told about one exchange.
package protocol ExchangeFollower: AnyObject, Sendable {
  /// The engine has measured the exchange. Not every engine does, and not every exchange gets so far.
  func measured(_ metrics: ExchangeMetrics)

  /// The exchange is over. Called exactly once.
  ///
  /// - Parameter outcome: The head of a whole response, or why there is none.
  func ended(_ outcome: Result<ResponseHead, any Error>)
}

/// An exchange that is about to begin.
package struct ObservedExchange: Sendable {
  package var method: Request.Method
  package var url: URL
  /// The number of exchanges that the load had before, for any reason.
  package var number: Int
  /// The base URL of the client, with https if its host is strict; `nil` if it has none.
  package var baseURL: URL?
  /// The path as it was written; not known after a redirect.
  package var template: PathTemplate
  /// ``Request/Options/secretNames``.
  package var secretNames: Set<String>?
  package var clock: LoadClock
}

extension LoadEvent {
  /// The trace that a load is a part of, by which its log and its trace find each other (W3C Trace Context).
  public struct Trace: Sendable, Hashable {
    package let high: UInt64
    package let low: UInt64
    package let span: UInt64

    /// Stores the identifiers.
    ///
    /// - Parameters:
    ///   - high: The first half of the trace's identifier.
    ///   - low: The second half.
    ///   - span: The identifier of the load's span.
    package init(high: UInt64, low: UInt64, span: UInt64) {
      self.high = high
      self.low = low
      self.span = span
    }

    /// The identifier of the trace, 32 hexadecimal digits.
    public var traceID: String { high.hexadecimal + low.hexadecimal }

    /// The identifier of the load's span in it, 16 hexadecimal digits.
    public var spanID: String { span.hexadecimal }
  }
}

extension LoadEvent.Trace: CustomStringConvertible {
  /// The identifiers as a log has them, `trace=4bf92f3577b34da6a3ce929d0e0e4736 span=00f067aa0ba902b7`.
  public var description: String { "trace=\(traceID) span=\(spanID)" }
}

extension UInt64 {
  /// Sixteen hexadecimal digits.
  fileprivate var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
