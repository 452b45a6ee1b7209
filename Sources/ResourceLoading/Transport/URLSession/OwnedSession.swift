import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session that belongs to one transport, and is closed when that goes.
final class OwnedSession: Sendable {
  let session: URLSession
  let router: SessionRouter

  init(_ configuration: URLSessionConfiguration, _ security: SessionSecurity?) {
    router = SessionRouter(security)
    let queue = OperationQueue()
    // One event after another, as a queue of width 1 would have it, which on Linux changes threads with each.
    queue.underlyingQueue = router.queue
    let configuration = configuration.stripped
    security?.apply(to: configuration)
    session = URLSession(configuration: configuration, delegate: router, delegateQueue: queue)
  }

  deinit {
    close()
  }

  /// Ends what is in flight; what is started later ends at once.
  func close() {
    // On the queue, so that no task can be made between the two steps: on Linux making one in an
    // invalidated session brings the process down.
    SessionTaskQueue.runLater { [session, router] in
      guard !router.isClosed else { return }
      for exchange in router.close() { exchange.close() }
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

/// The delegate of a session that belongs to one transport: hands each event to the exchange that it is about.
final class SessionRouter: NSObject, URLSessionDataDelegate {
  /// Where its methods are called. Kept here, for the session keeps its delegate as long as it calls it.
  let queue = DispatchQueue(label: "ResourceLoading.SessionRouter")

  private let exchanges = Mutex(InFlight<Int, URLSessionExchange>())
  /// What answers challenges of TLS; `nil` leaves them to the system.
  private let security: SessionSecurity?

  init(_ security: SessionSecurity?) { self.security = security }

  /// Routes the events of a task to an exchange.
  func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
    _ = exchanges.withLock { $0.begin(exchange, for: task.taskIdentifier) }
  }

  /// Whether no task may be made any more.
  var isClosed: Bool { exchanges.withLock { $0.isClosed } }

  /// Closes it for new exchanges.
  ///
  /// - Returns: Those in flight; none if it was closed before. They stay here until their tasks have completed.
  func close() -> [URLSessionExchange] { exchanges.withLock { $0.close() } }

  private func exchange(for task: URLSessionTask) -> URLSessionExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }
}

// MARK: - Events

extension SessionRouter {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(for: dataTask)?.receive(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(for: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    exchange(for: task)?.tellSent(totalBytesSent, of: totalBytesExpectedToSend)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    exchanges.withLock { $0.end(task.taskIdentifier) }?.complete(error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    exchange(for: task)?.urlSession(
      session, task: task, willPerformHTTPRedirection: response, newRequest: request,
      completionHandler: completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let exchange = exchange(for: task) else {
      return completionHandler(.cancelAuthenticationChallenge, nil)
    }
    switch security?.answer(challenge) {
    case .success(let credential): completionHandler(.useCredential, credential)
    case .failure(let error):
      exchange.refuse(error)
      completionHandler(.cancelAuthenticationChallenge, nil)
    case nil:
      exchange.urlSession(
        session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }
  }
}
