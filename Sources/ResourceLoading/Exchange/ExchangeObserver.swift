public import Foundation
package import ResourcePrimitives

/// Follows the exchanges of a client's loads: attempts, redirects, and the requests that renew a
/// credential.
///
/// Exchanges run in the tasks of their loads or in tasks that these create, so that the observer
/// can read task-local values of the middleware. All functions may be called on any thread, and
/// must return soon.
public protocol ExchangeObserver: Sendable {
  /// Called when an exchange is about to begin.
  ///
  /// - Parameters:
  ///   - exchange: The exchange.
  ///   - headers: The headers of the request, which may be changed. Changes apply to this exchange
  ///     only, not to a redirect from it. The signature and the last check come afterwards.
  /// - Returns: The follower of the exchange; `nil` for none.
  func begin(_ exchange: ObservedExchange, _ headers: inout Headers) -> (any ExchangeFollower)?
}

/// Follows one exchange.
public protocol ExchangeFollower: AnyObject, Sendable {
  /// Receives the measurements of the exchange. Not every engine measures, and an exchange may end
  /// earlier.
  func measured(_ metrics: ExchangeMetrics)

  /// Receives the head of a response. The body may still fail.
  func received(_ head: ResponseHead)

  /// Called exactly once, when the exchange has ended.
  ///
  /// - Parameter outcome: The head of a complete response, or the reason why there is none.
  func ended(_ outcome: Result<ResponseHead, any Error>)
}

/// An exchange that is about to begin.
public struct ObservedExchange: Sendable {
  /// The method of the request.
  public var method: Request.Method
  /// The URL of the request.
  public var url: URL
  /// The number of exchanges that the load had before this one, for any reason.
  public var number: Int
  /// The base URL of the client, with https if its host is strict; `nil` if it has none.
  public var baseURL: URL?
  /// The path as it was written; `unknown` after a redirect.
  package var template: PathTemplate
  /// ``Request/Options/secretNames``.
  public var secretNames: Set<String>?
  /// The headers of the load's request, also after a redirect to an origin that gets only some of
  /// them.
  public var headers: Headers
  package var clock: LoadClock
}

extension ObservedExchange: CustomReflectable {
  /// Shows the exchange without secrets.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "url": redacted(url), "number": number,
        "baseURL": baseURL.map(redacted) as Any,
        "headers": headers.redacted(secretNames: secretNames),
      ])
  }

  private func redacted(_ url: URL) -> String {
    url.absoluteString.redactedURL(secretNames: secretNames).printable
  }
}
