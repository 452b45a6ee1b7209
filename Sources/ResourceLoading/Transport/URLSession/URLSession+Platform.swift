import Foundation
import PromiseModule

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// What differs between the two URLSessions, and nothing else.

extension URLSession {
  /// Whether a request is sent again if a reused connection is lost, whatever its method.
  static var sendsAgain: Bool {
    #if canImport(FoundationNetworking)
      return true
    #else
      return false
    #endif
  }

  /// Whether making a task would bring the process down, as far as the platform lets one know.
  var isInvalidated: Bool {
    #if canImport(FoundationNetworking)
      // There is no public way to ask. The shared session can't be invalidated.
      guard self !== URLSession.shared, let offset = Self.offsetOfInvalidated else { return false }
      let children = Mirror(reflecting: self).children
      guard offset < children.count else { return false }
      let child = children[children.index(children.startIndex, offsetBy: offset)]
      return child.label == "invalidated" && child.value as? Bool == true
    #else
      // There is no way to ask at all, and none to catch the exception that it raises.
      return false
    #endif
  }

  /// Whether it is a background session, in which a task with a completion handler raises an exception.
  var isInBackground: Bool {
    #if canImport(FoundationNetworking)
      // There are none.
      return false
    #else
      return configuration.identifier != nil
    #endif
  }

  #if canImport(FoundationNetworking)
    /// Which of its properties tells: looking at all of them each time would cost a fourteenth of a load.
    private static let offsetOfInvalidated = Mirror(reflecting: URLSession.shared).children
      .enumerated().first { $0.element.label == "invalidated" }?.offset
  #endif

  /// Takes out of a session's configuration, which is its own copy, what takes the process down on Linux: a
  /// URL cache, which never stores an HTTP response there, as soon as a task is cancelled while the cache is
  /// being asked; and an infinite timeout with the first task. On Apple platforms nothing happens.
  func removeTraps() {
    #if canImport(FoundationNetworking)
      if !(configuration.timeoutIntervalForRequest <= URLRequest.noTimeout) {
        configuration.timeoutIntervalForRequest = URLRequest.noTimeout
      }
      guard let cache = configuration.urlCache else { return }
      configuration.urlCache = nil
      // A task that was made elsewhere at this moment may be reading it.
      DispatchQueue.global().asyncAfter(deadline: .now() + 10) { withExtendedLifetime(cache) {} }
    #endif
  }
}

extension URLAuthenticationChallenge {
  /// Whether this answer would leave the task waiting for ever, or take the process down.
  func hangs(
    under disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
  ) -> Bool {
    #if canImport(FoundationNetworking)
      switch disposition {
      case .useCredential:
        return credential == nil
          || protectionSpace.authenticationMethod != NSURLAuthenticationMethodHTTPBasic
      case .performDefaultHandling: return proposedCredential == nil || previousFailureCount > 0
      default: return true
      }
    #else
      return false
    #endif
  }
}

extension URLSessionTaskDelegate {
  /// Asks this delegate whether a redirect is to be followed.
  ///
  /// - Returns: `next`, changed as the delegate wants it, or `nil` if it declines or drops the question.
  /// - Throws: `CancellationError` as soon as the calling task is cancelled; `LoadError` if the body can't be read.
  func approve(
    _ next: WireRequest, after response: HTTPURLResponse, of task: URLSessionTask,
    in session: URLSession
  ) async throws -> WireRequest? {
    var proposal = URLRequest(next, in: session, idleTimeout: next.idleTimeout)
    // As in tasks of the platform's own, a file isn't shown.
    if let body = next.body, !body.hasFiles { proposal.httpBody = try body.data() }
    let proposed = proposal
    let (promise, resolver) = Promise<WireRequest?>.pending()
    session.delegateQueue.addOperation {
      let take = { @Sendable (answer: URLRequest?) in
        _ = resolver.resolve(Result { try answer.map { try next.changed(from: proposed, to: $0) } })
      }
      #if canImport(FoundationNetworking)
        self.urlSession(
          session, task: task, willPerformHTTPRedirection: response, newRequest: proposed,
          completionHandler: take)
      #else
        let ask: Void? = self.urlSession?(
          session, task: task, willPerformHTTPRedirection: response, newRequest: proposed,
          completionHandler: take)
        if ask == nil { take(proposed) }
      #endif
    }
    do { return try await promise.get() } catch is BrokenPromise { return nil }
  }
}

extension URLSession {
  /// Has the session's delegate answer a challenge, as it would be asked without a delegate of the task.
  ///
  /// - Returns: Whether it has a method for that.
  func answer(
    _ challenge: URLAuthenticationChallenge, of task: URLSessionTask,
    _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) -> Bool {
    let owner = delegate as? any URLSessionTaskDelegate
    #if canImport(FoundationNetworking)
      owner?.urlSession(self, task: task, didReceive: challenge, completionHandler: answer)
      return owner != nil
    #else
      // Those of a whole session, such as a server's certificate, go to the method of the session first. Whoever pins
      // certificates may have that alone.
      if challenge.isOfSession {
        let ask: Void? = delegate?.urlSession?(
          self, didReceive: challenge, completionHandler: answer)
        if ask != nil { return true }
      }
      let ask: Void? = owner?.urlSession?(
        self, task: task, didReceive: challenge, completionHandler: answer)
      return ask != nil
    #endif
  }
}

#if !canImport(FoundationNetworking)
  extension URLAuthenticationChallenge {
    /// Whether it is about a whole session.
    fileprivate var isOfSession: Bool {
      [
        NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate,
        NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNegotiate,
      ].contains(protectionSpace.authenticationMethod)
    }
  }
#endif

extension WireRequest {
  /// This request with what a session's delegate changed in its URLRequest.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` if it can't be sent any more.
  fileprivate func changed(from proposal: URLRequest, to answer: URLRequest) throws -> WireRequest {
    guard answer != proposal else { return self }
    var changed = draft
    if let url = answer.url { changed.url = url }
    if let method = answer.httpMethod { changed.method = Request.Method(rawValue: method) }
    changed.headers = Headers()
    for (name, value) in (answer.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      changed.headers.append(Headers.Name(rawValue: name), value)
    }
    if answer.httpBody != proposal.httpBody { changed.body = answer.httpBody.map(WireBody.init) }
    return try WireRequest(changed)
  }
}
