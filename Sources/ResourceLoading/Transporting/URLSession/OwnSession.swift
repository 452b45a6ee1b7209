import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session that belongs to one transport and tells it everything, by a delegate.
final class OwnSession: Sendable {
  private let session: URLSession
  private let router = SessionRouter()

  init(_ configuration: URLSessionConfiguration) {
    let queue = OperationQueue()
    // One event after another, as a queue of width 1 would have it, which on Linux changes threads with each.
    queue.underlyingQueue = router.queue
    session = URLSession(
      configuration: configuration.stripped, delegate: router, delegateQueue: queue)
  }

  deinit {
    close()
  }

  func start(_ request: WireRequest, telling receiver: any ExchangeReceiver) -> any Exchange {
    let exchange = OwnExchange(receiver)
    TaskBody.prepare(request.body) { [session, router] body in
      exchange.start(request, body, in: session, tellingVia: router)
    }
    return exchange
  }

  /// Ends what is under way; what is started later ends at once.
  func close() {
    // Through the gate, so that no task can be made between the two steps: on Linux making one in an
    // invalidated session brings the process down.
    TaskGate.passLater { [session, router] in
      guard let exchanges = router.close() else { return }
      for exchange in exchanges { exchange.close() }
      session.finishTasksAndInvalidate()
    }
  }
}

extension URLSessionConfiguration {
  /// A copy that keeps connections and nothing else. Caching, cookies and timers of URLSession's own
  /// also cost a quarter of a load's time on Linux, and all of that is done above it.
  fileprivate var stripped: URLSessionConfiguration {
    let stripped = copy() as? URLSessionConfiguration ?? .ephemeral
    stripped.urlCache = nil
    stripped.requestCachePolicy = .reloadIgnoringLocalCacheData
    stripped.httpCookieStorage = nil
    stripped.httpCookieAcceptPolicy = .never
    stripped.httpShouldSetCookies = false
    stripped.urlCredentialStorage = nil
    stripped.timeoutIntervalForRequest = URLRequest.noTimeout
    stripped.timeoutIntervalForResource = URLRequest.noTimeout
    return stripped
  }
}
