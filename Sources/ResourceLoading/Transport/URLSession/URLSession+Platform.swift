#if URLSession || !os(Linux)
  import Foundation
  import PromiseModule

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  // The differences between the URLSessions of Linux and of Apple platforms.

  extension URLSession {
    /// Whether a request is sent again if a reused connection is lost, whatever its method.
    static var sendsAgain: Bool {
      #if canImport(FoundationNetworking)
        return true
      #else
        return false
      #endif
    }

    /// Whether creating a task would crash the process, as far as that can be known.
    var isInvalidated: Bool {
      #if canImport(FoundationNetworking)
        // The only place where the library reads a private property, because there is no public one,
        // and creating a task would end the process. It is found by its name. Without it, or with
        // another type, the session counts as valid. The shared session can't be invalidated.
        guard self !== URLSession.shared, let offset = Self.offsetOfInvalidated else {
          return false
        }
        let children = Mirror(reflecting: self).children
        guard offset < children.count else { return false }
        let child = children[children.index(children.startIndex, offsetBy: offset)]
        return child.label == "invalidated" && child.value as? Bool == true
      #else
        // There is no property at all, and no way to catch the exception.
        return false
      #endif
    }

    /// Whether it is a background session, in which a task with a completion handler raises an
    /// exception.
    var isInBackground: Bool {
      #if canImport(FoundationNetworking)
        // Linux has none.
        return false
      #else
        return configuration.identifier != nil
      #endif
    }

    #if canImport(FoundationNetworking)
      /// The index of the property: searching all of them each time would cost a fourteenth of a
      /// load.
      private static let offsetOfInvalidated = Mirror(reflecting: URLSession.shared).children
        .enumerated().first { $0.element.label == "invalidated" }?.offset
    #endif

    /// Removes from the session's configuration what crashes the process on Linux: a URL cache, which
    /// never stores an HTTP response there, when a task is cancelled while the cache is searched; and
    /// an infinite time limit, with the first task. Does nothing on Apple platforms.
    func removeTraps() {
      #if canImport(FoundationNetworking)
        if !(configuration.timeoutIntervalForRequest <= URLRequest.noTimeout) {
          configuration.timeoutIntervalForRequest = URLRequest.noTimeout
        }
        guard let cache = configuration.urlCache else { return }
        configuration.urlCache = nil
        // A task that was created elsewhere may be reading it at this moment.
        DispatchQueue.global().asyncAfter(deadline: .now() + 10) { withExtendedLifetime(cache) {} }
      #endif
    }
  }

  extension URLAuthenticationChallenge {
    /// Returns whether an answer would leave the task waiting forever, or crash the process.
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
    /// Asks this delegate whether to follow a redirect. Returns `next` with the delegate's changes;
    /// `nil` if it declines or never answers.
    func approve(
      _ next: WireRequest, after response: HTTPURLResponse, of task: URLSessionTask,
      in session: URLSession
    ) async throws -> WireRequest? {
      var proposal = URLRequest(next, in: session, idleTimeout: next.idleTimeout)
      // As in the platform's own tasks, a file isn't shown.
      if let body = next.body, !body.hasFiles { proposal.httpBody = try body.data() }
      let proposed = proposal
      let (promise, resolver) = Promise<WireRequest?>.pending()
      session.delegateQueue.addOperation {
        let take = { @Sendable (answer: URLRequest?) in
          _ = resolver.resolve(
            Result { try answer.map { try next.changed(from: proposed, to: $0) } })
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
    /// Passes a challenge to the session's delegate, as if the task had no delegate of its own.
    /// Returns whether the delegate implements that.
    func answer(
      _ challenge: URLAuthenticationChallenge, of task: URLSessionTask,
      _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) -> Bool {
      let owner = delegate as? any URLSessionTaskDelegate
      #if canImport(FoundationNetworking)
        owner?.urlSession(self, task: task, didReceive: challenge, completionHandler: answer)
        return owner != nil
      #else
        // Those of a whole session, such as a server's certificate, go to the session's method first.
        // A delegate that pins certificates may implement only that.
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
    /// Returns this request with the changes that a session's delegate made in its URLRequest.
    fileprivate func changed(from proposal: URLRequest, to answer: URLRequest) throws -> WireRequest
    {
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
#endif
