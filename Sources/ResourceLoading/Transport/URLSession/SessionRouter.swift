#if URLSession || !os(Linux)
  import Dispatch
  import Foundation
  import Synchronization

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// The delegate of a session that belongs to one transport: forwards each event to the exchange of
  /// its task.
  final class SessionRouter: NSObject, URLSessionDataDelegate {
    /// The queue on which its methods are called. Kept here, because the session keeps its delegate
    /// as long as it calls it.
    let queue = DispatchQueue(label: "ResourceLoading.SessionRouter")

    private let exchanges = Mutex(InFlight<Int, URLSessionExchange>())
    private let security: SessionSecurity?

    init(_ security: SessionSecurity?) { self.security = security }

    /// Routes the events of a task to an exchange.
    func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
      _ = exchanges.withLock { $0.begin(exchange, for: task.taskIdentifier) }
    }

    /// Whether no task may be created anymore.
    var isClosed: Bool { exchanges.withLock { $0.isClosed } }

    /// Closes the router for new exchanges, and returns those in flight, which stay until their tasks
    /// have completed; none if it was closed before.
    func close() -> [URLSessionExchange] { exchanges.withLock { $0.close() } }

    private func exchange(for task: URLSessionTask) -> URLSessionExchange? {
      exchanges.withLock { $0[task.taskIdentifier] }
    }
  }

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
      exchange(for: task)?.sent(totalBytesSent, of: totalBytesExpectedToSend)
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
        exchange.end(error)
        completionHandler(.cancelAuthenticationChallenge, nil)
      case nil:
        exchange.urlSession(
          session, task: task, didReceive: challenge, completionHandler: completionHandler)
      }
    }
  }
#endif
