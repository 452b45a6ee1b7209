#if URLSession || !os(Linux)
  import Foundation
  import Synchronization

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// One data task of a `URLSession`.
  ///
  /// It receives the response in one of two ways. A transport's own session reports every event to
  /// its delegate, a ``SessionRouter``, as it happens. A borrowed session has another delegate or
  /// none: there the task has a completion handler, and this exchange is the delegate of that task
  /// alone.
  final class URLSessionExchange: NSObject, Exchange {
    private let session: URLSession
    /// The delegate of the transport's own session; `nil` for a borrowed one.
    private let router: SessionRouter?
    private let receiver: any ExchangeReceiver
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    private struct State {
      var task: URLSessionDataTask?
      /// Kept as long as it is being sent.
      var body: TaskBody?
      /// The last redirect, if the delegate of a borrowed session may decline it.
      var redirect: (response: HTTPURLResponse, task: URLSessionTask)?
      /// When the first head arrived; `nil` if none did.
      var firstByte: Duration?
      /// Whether some of the request's body was sent.
      var hasSent = false
      /// Whether the request may be sent without a notice, and mustn't be sent twice.
      var isUncertain = false
      var isCancelled = false
      var hasEnded = false
    }

    init(session: URLSession, router: SessionRouter?, receiver: any ExchangeReceiver) {
      self.session = session
      self.router = router
      self.receiver = receiver
    }
  }

  extension URLSessionExchange {
    /// Creates the task and resumes it, unless the exchange was cancelled before. On the
    /// ``SessionTaskQueue``.
    func start(_ request: WireRequest, _ body: Result<TaskBody, any Error>) {
      guard !state.withLock({ $0.isCancelled }) else { return }
      if let router {
        guard !router.isClosed else { return close() }
      } else {
        guard !session.isInvalidated else { return end(.sessionInvalidated) }
        session.removeTraps()
      }
      guard !session.isInBackground else { return end(.backgroundSession) }
      do {
        let body = try body.get()
        let task = makeTask(request, body)
        if let priority = request.priority { task.priority = priority.ofTask }
        let isUncertain = sendsSilently(request)
        state.withLock { ($0.task, $0.body, $0.isUncertain) = (task, body, isUncertain) }
        task.resume()
        // A call of `cancel()` in the meantime found no task.
        if state.withLock({ $0.isCancelled }) { stop() }
      } catch {
        end(LoadError(sending: error))
      }
    }

    private func makeTask(_ request: WireRequest, _ body: TaskBody) -> URLSessionDataTask {
      if let router {
        let task = body.task(for: URLRequest(request, in: session), in: session)
        router.add(self, for: task)
        return task
      }
      let request = URLRequest(request, in: session, idleTimeout: request.idleTimeout)
      let task = body.task(for: request, in: session) { data, response, error in
        self.complete(data, response, error)
      }
      // On Linux setting a delegate after `resume()` crashes the process.
      task.delegate = self
      return task
    }

    func cancel() {
      let wasRunning = state.withLock { state in
        defer { state.isCancelled = true }
        return !state.isCancelled && !state.hasEnded
      }
      if wasRunning { stopLater() }
    }

    /// Fails the exchange because its session is closed. On the ``SessionTaskQueue``.
    func close() {
      end(.transportClosed)
      state.withLock { $0.isCancelled = true }
      stop()
    }

    private func stopLater() { SessionTaskQueue.run { self.stop() } }

    private func stop() {
      // On Linux a task that completes while it is being cancelled crashes the process. Its
      // completion begins with this lock, so it waits for the end of the cancellation.
      state.withLock { $0.task?.cancel() }
    }

    /// Reports the end. Only the first call has an effect.
    func end(_ failure: LoadError?) {
      let isFirst = state.withLock { state in
        defer { state.hasEnded = true }
        return !state.hasEnded
      }
      if isFirst { receiver.finished(failure) }
    }

    private var hasEnded: Bool { state.withLock { $0.hasEnded } }
  }

  extension URLSessionExchange {
    /// Receives everything at once, in the completion handler of the task.
    private func complete(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
      if error == nil {
        if let response { receive(response) }
        if let data, !data.isEmpty { receive(data) }
      }
      complete(error)
    }

    func receive(_ response: URLResponse) {
      guard let response = response as? HTTPURLResponse else { return }
      let task = state.withLock { state in
        state.firstByte = state.firstByte ?? start.duration(to: .now)
        return state.task
      }
      guard !hasEnded else { return }
      do throws(LoadError) {
        receiver.received(try ResponseHead(response, of: task))
      } catch {
        end(error)
        stopLater()
      }
    }

    func receive(_ data: Data) {
      if !hasEnded { receiver.received(data) }
    }

    func sent(_ count: Int64, of total: Int64) {
      if count > 0 { state.withLock { $0.hasSent = true } }
      if !hasEnded {
        receiver.sent(Int(clamping: count), of: total > 0 ? Int(clamping: total) : nil)
      }
    }

    func complete(_ error: (any Error)?) {
      let (unreported, firstByte) = state.withLock { state in
        defer { (state.task, state.body) = (nil, nil) }
        return (state.firstByte == nil ? state.task?.response : nil, state.firstByte)
      }
      // On Linux the head of a redirect without a location isn't reported.
      if error == nil, let unreported { receive(unreported) }
      if receiver.wantsMetrics, !hasEnded {
        var metrics = ExchangeMetrics(ended: start.duration(to: .now))
        // A completion handler receives the first byte with the last.
        if router != nil { metrics.firstByte = firstByte }
        receiver.measured(metrics)
      }
      end(error.map(failure))
    }

    /// Returns the meaning of an error. On Linux the platform sends a request again whose reused
    /// connection was lost. If it can't connect then, its error means that nothing was sent, although
    /// the server may have processed the request.
    private func failure(_ error: any Error) -> LoadError {
      let failure = LoadError(transport: error)
      guard failure.isUnsent else { return failure }
      let (hasSent, isUncertain) = state.withLock { ($0.hasSent, $0.isUncertain) }
      if hasSent { return .lostAfterSending }
      // Without the error's code, which would say that nothing was sent.
      return isUncertain ? LoadError(failure.kind, failure.reason, advice: failure.advice) : failure
    }

    /// Returns whether a request that mustn't be sent twice may be sent on a reused connection
    /// without a notice: the session reports only bodies, and a task with a completion handler not
    /// even those.
    private func sendsSilently(_ request: WireRequest) -> Bool {
      guard URLSession.sendsAgain, !request.isRepeatable else { return false }
      return router == nil || (request.body?.length ?? 0) == 0
    }
  }

  extension LoadError {
    fileprivate static let lostAfterSending = LoadError(
      .connection, "the connection was lost after the request was sent")
  }

  extension URLSessionExchange: URLSessionTaskDelegate {
    /// The delegate of a borrowed session.
    private var owner: (any URLSessionTaskDelegate)? {
      router == nil ? session.delegate as? any URLSessionTaskDelegate : nil
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      let hasOwner = owner != nil
      state.withLock { state in
        if hasOwner { state.redirect = (response, task) }
        // On Linux calling the handler of a cancelled task crashes the process. `cancel()` sets the
        // flag under this lock before it touches the task, so the answer can't come too late here.
        guard !state.isCancelled else { return }
        // The 3xx is the response: redirects are followed above the transport.
        completionHandler(nil)
      }
    }

    /// Asks the delegate of a borrowed session whether to follow the last redirect. Returns the next
    /// request with the delegate's changes; `nil` if it declines.
    func approve(_ next: WireRequest) async throws -> WireRequest? {
      guard let owner, let (response, task) = state.withLock({ $0.redirect }) else { return next }
      return try await owner.approve(next, after: response, of: task, in: session)
    }
  }

  extension URLSessionExchange {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let isAsked =
        router == nil && challenge.previousFailureCount < Self.maximumFailures
        && session.answer(challenge, of: task) { [self] disposition, credential in
          answer(challenge, disposition, credential, completionHandler)
        }
      if !isAsked { answer(challenge, .performDefaultHandling, nil, completionHandler) }
    }

    /// How often a session's delegate may answer one challenge before its answer counts as final.
    private static let maximumFailures = 5

    private func answer(
      _ challenge: URLAuthenticationChallenge, _ disposition: URLSession.AuthChallengeDisposition,
      _ credential: URLCredential?,
      _ completionHandler: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let hangs = challenge.hangs(under: disposition, credential)
      if hangs {
        // The 401 is the response to the request, and it has arrived; its head was reported if it has
        // a body.
        if let response = challenge.failureResponse, state.withLock({ $0.firstByte == nil }) {
          receive(response)
        }
        end(nil)
      }
      state.withLock { state in
        guard !state.isCancelled else { return }
        if hangs {
          completionHandler(.cancelAuthenticationChallenge, nil)
        } else {
          completionHandler(disposition, credential)
        }
      }
    }
  }

  extension Request.Priority {
    /// The priority of a `URLSessionTask`, from 0 to 1: the values of its constants for low, default
    /// and high.
    fileprivate var ofTask: Float {
      switch self {
      case .low: 0.25
      case .standard: 0.5
      case .high: 0.75
      }
    }
  }

  extension LoadError {
    fileprivate static let sessionInvalidated = LoadError(
      .closed, "the URLSession was invalidated", advice: "Load with a session that is in use")

    fileprivate static let backgroundSession = LoadError(
      .invalidRequest, "a background URLSession can't load resources: it would outlive its parsers",
      advice: "Load with a session whose configuration has no identifier")
  }
#endif
