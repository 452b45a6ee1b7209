import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
