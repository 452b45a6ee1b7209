import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One data task, and the delegate of that task alone.
///
/// The task has a completion handler: on Linux nothing else tells a load about a task of a session that has
/// a delegate of its own, or none.
final class URLSessionExchange: NSObject, Exchange {
  private let session: URLSession
  private let receiver: any ExchangeReceiver
  private let state = Mutex(State())

  private struct State {
    var task: URLSessionDataTask?
    /// Kept as long as it is sent.
    var body: TaskBody?
    var isCancelled = false
    var hasEnded = false
  }

  init(session: URLSession, receiver: any ExchangeReceiver) {
    self.session = session
    self.receiver = receiver
  }

  /// Makes the task and resumes it, unless the exchange was cancelled before. Through the gate.
  func start(_ request: WireRequest, _ body: Result<TaskBody, any Error>) {
    guard !state.withLock({ $0.isCancelled }) else { return }
    guard !session.isInvalidated else {
      return end(
        LoadError(
          .closed, "the URLSession was invalidated", advice: "Load with a session that is in use"))
    }
    session.removeTraps()
    do {
      let ready = URLRequest(request, in: session, idleTimeout: request.idleTimeout)
      run(ready, try body.get())
    } catch {
      end(LoadError(sending: error))
    }
  }

  private func run(_ request: URLRequest, _ body: TaskBody) {
    let task = body.task(for: request, in: session) { data, response, error in
      self.complete(data, response, error)
    }
    // On Linux a delegate that is set after `resume()` brings the process down.
    task.delegate = self
    state.withLock { ($0.task, $0.body) = (task, body) }
    task.resume()
    // Who cancelled it meanwhile found no task.
    if state.withLock({ $0.isCancelled }) { stop() }
  }

  func cancel() {
    let wasRunning = state.withLock { state in
      defer { state.isCancelled = true }
      return !state.isCancelled && !state.hasEnded
    }
    if wasRunning { TaskGate.passLater { self.stop() } }
  }

  private func stop() {
    // On Linux a task that completes while it is being cancelled brings the process down. Its completion
    // begins with this lock, so it waits until the cancellation is through.
    state.withLock { $0.task?.cancel() }
  }

  /// Tells the end once and lets go of the task.
  private func end(_ failure: LoadError?) {
    let isFirst = state.withLock { state in
      defer { (state.hasEnded, state.task, state.body) = (true, nil, nil) }
      return !state.hasEnded
    }
    if isFirst { receiver.finished(failure) }
  }
}

extension URLSessionExchange {
  private func complete(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
    let task = state.withLock { state in
      defer { (state.task, state.body) = (nil, nil) }
      return state.task
    }
    if let error { return end(LoadError(transport: error)) }
    do throws(LoadError) { try tell(response, of: task) } catch { return end(error) }
    if let data, !data.isEmpty { receiver.received(data) }
    end(nil)
  }

  private func tell(_ response: URLResponse?, of task: URLSessionTask?) throws(LoadError) {
    guard let response = response as? HTTPURLResponse else { return }
    receiver.received(try ResponseHead(response, of: task))
  }
}

// MARK: - Redirects

extension URLSessionExchange: URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    if let delegate = session.delegate as? any URLSessionTaskDelegate,
      let receiver = receiver as? any RedirectApproving
    {
      receiver.received { next in
        try await delegate.approve(next, after: response, of: task, in: session)
      }
    }
    state.withLock { state in
      // On Linux the handler of a cancelled task brings the process down. `cancel()` sets the flag under
      // this lock before it touches the task, so inside it the answer can't come too late.
      guard !state.isCancelled else { return }
      // The 3xx is delivered; following it is decided above the transport.
      completionHandler(nil)
    }
  }
}

// MARK: - Challenges

extension URLSessionExchange {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let delegate = session.delegate as? any URLSessionTaskDelegate,
      challenge.previousFailureCount < Self.maximumFailures
    else {
      return answer(challenge, .performDefaultHandling, nil, completionHandler)
    }
    delegate.answer(challenge, of: task, in: session) { [self] disposition, credential in
      answer(challenge, disposition, credential, completionHandler)
    }
  }

  /// How often a session's delegate may answer one challenge before its answer counts as final.
  private static let maximumFailures = 5

  private func answer(
    _ challenge: URLAuthenticationChallenge, _ disposition: URLSession.AuthChallengeDisposition,
    _ credential: URLCredential?,
    _ completionHandler: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    if challenge.hangs(under: disposition, credential) {
      // The answer to the request is the 401 itself, and it is here, though not its body.
      do throws(LoadError) {
        try tell(challenge.failureResponse, of: nil)
        end(nil)
      } catch { end(error) }
      completionHandler(.cancelAuthenticationChallenge, nil)
    } else {
      state.withLock { state in
        if !state.isCancelled { completionHandler(disposition, credential) }
      }
    }
  }
}

/// Where tasks of URLSessions are made, one at a time: on Linux making, resuming and cancelling one waits for
/// a queue that all sessions of the process share, for seconds if it comes to the worst.
///
/// So at most one thread waits, never the main one. Whoever comes meanwhile leaves what is to be done to the one who
/// is there: waking another thread costs as much as a tenth of a load.
enum TaskGate {
  private static let line = Mutex(TaskLine())
  private static let queue = DispatchQueue(label: "ResourceLoading.URLSessionTransport")

  /// Does something now, or soon on another thread.
  static func pass(_ body: @escaping @Sendable () -> Void) {
    guard !Thread.isMainThread else { return passLater(body) }
    guard line.withLock({ $0.enter(body) }) else { return }
    // Nobody's thread is kept for ever by what others bring.
    for _ in 0..<16 {
      guard serve() else { return }
    }
    serveLater()
  }

  /// Does something soon on another thread.
  static func passLater(_ body: @escaping @Sendable () -> Void) {
    if line.withLock({ $0.enter(body) }) { serveLater() }
  }

  private static func serveLater() {
    queue.async {
      while serve() {}
    }
  }

  /// Does what there is to be done; `false` if there was nothing.
  private static func serve() -> Bool {
    let bodies = line.withLock { $0.leave() }
    for body in bodies { body() }
    return !bodies.isEmpty
  }
}

/// Who stands at the gate, without the lock.
struct TaskLine {
  private var waiting: [@Sendable () -> Void] = []
  private var isServed = false

  /// - Returns: Whether the caller is to serve the line, for nobody else does.
  mutating func enter(_ body: @escaping @Sendable () -> Void) -> Bool {
    waiting.append(body)
    defer { isServed = true }
    return !isServed
  }

  /// Takes out all that wait; if nobody does, the line isn't served any more.
  mutating func leave() -> [@Sendable () -> Void] {
    defer { waiting = [] }
    isServed = !waiting.isEmpty
    return waiting
  }
}
