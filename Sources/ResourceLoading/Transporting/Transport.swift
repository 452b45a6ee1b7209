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
  func start(_ request: WireRequest, telling receiver: any ExchangeReceiver) -> any Exchange

  /// Whether it tells what arrives while it does, so that idle time can be measured above it. Without that
  /// ``WireRequest/idleTimeout`` is its own business.
  var tellsArrivals: Bool { get }
}

extension Transport {
  /// It does.
  public var tellsArrivals: Bool { true }
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

  /// It is as good as over, and took this long. Told before the end, if it is wanted and known.
  func measured(_ metrics: ExchangeMetrics)

  /// Nothing more will come: the response is whole, or it failed.
  ///
  /// - Parameter failure: Why there is no whole response; `nil` if there is.
  func finished(_ failure: LoadError?)
}

extension ExchangeReceiver {
  /// It isn't.
  public var wantsMetrics: Bool { false }

  /// Does nothing.
  public func measured(_ metrics: ExchangeMetrics) {}

  /// Does nothing.
  public func sent(_ count: Int, of total: Int?) {}
}

/// A receiver that lets the owner of a `URLSession` have a say in redirects.
protocol RedirectApproving: ExchangeReceiver {
  /// The head that arrived is a redirect, and whoever owns the session wants a say in whether it is
  /// followed.
  func received(_ approval: @escaping RedirectApproval)
}

/// Asks whether a redirect is to be followed: gives what to send, usually its argument, or `nil`. Throws
/// `CancellationError` if the calling task is cancelled meanwhile.
typealias RedirectApproval = @Sendable (WireRequest) async throws -> WireRequest?
