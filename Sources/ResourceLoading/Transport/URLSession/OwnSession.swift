import Dispatch
import Foundation
import Synchronization

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

  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
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

/// The delegate of a session of one's own: hands each event to the exchange that it is about.
final class SessionRouter: NSObject, URLSessionDataDelegate {
  /// Where its methods are called. Kept here, for the session keeps its delegate as long as it calls it.
  let queue = DispatchQueue(label: "ResourceLoading.SessionRouter")

  private let state = Mutex(State())

  private struct State {
    var exchanges: [Int: OwnExchange] = [:]
    var isClosed = false
  }

  /// Routes the events of a task to an exchange; `false` if the session is closed.
  func add(_ exchange: OwnExchange, for task: URLSessionTask) {
    state.withLock { $0.exchanges[task.taskIdentifier] = exchange }
  }

  /// Whether no task may be made any more.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Closes it for new exchanges.
  ///
  /// - Returns: Those under way; `nil` if it was closed before.
  func close() -> [OwnExchange]? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      return Array(state.exchanges.values)
    }
  }

  private func exchange(for task: URLSessionTask) -> OwnExchange? {
    state.withLock { $0.exchanges[task.taskIdentifier] }
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
    let exchange = state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
    exchange?.complete(error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    exchange(for: task)?.stayHere(completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let exchange = exchange(for: task) else {
      return completionHandler(.cancelAuthenticationChallenge, nil)
    }
    exchange.answer(challenge, completionHandler)
  }
}
