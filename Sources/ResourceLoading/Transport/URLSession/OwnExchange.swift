import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One data task of a session of one's own.
final class OwnExchange: Exchange {
  private let receiver: any ExchangeReceiver
  private let state = Mutex(State())
  private let start = ContinuousClock.now

  private struct State {
    var firstByte: Duration?
    var task: URLSessionDataTask?
    /// Kept as long as it is sent.
    var body: TaskBody?
    var hasHead = false
    var isCancelled = false
    var hasEnded = false
  }

  init(_ receiver: any ExchangeReceiver) { self.receiver = receiver }

  /// Makes the task and resumes it, unless the exchange was cancelled before. Through the gate.
  func start(
    _ request: WireRequest, _ body: Result<TaskBody, any Error>, in session: URLSession,
    tellingVia router: SessionRouter
  ) {
    guard !state.withLock({ $0.isCancelled }) else { return }
    guard !router.isClosed else { return close() }
    let (ready, task): (TaskBody, URLSessionDataTask)
    do {
      ready = try body.get()
      task = ready.task(for: URLRequest(request, in: session), in: session)
    } catch {
      return end(LoadError(sending: error))
    }
    router.add(self, for: task)
    state.withLock { ($0.task, $0.body) = (task, ready) }
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

  /// Ends it because its session goes. Through the gate.
  func close() {
    end(LoadError(.closed, "the transport was closed", advice: "Load with one that is in use"))
    state.withLock { $0.isCancelled = true }
    stop()
  }

  private func stop() {
    // On Linux a task that completes while it is being cancelled brings the process down. Its completion
    // begins with this lock, so it waits until the cancellation is through.
    state.withLock { $0.task?.cancel() }
  }

  /// Tells the end once.
  private func end(_ failure: LoadError?) {
    let isFirst = state.withLock { state in
      defer { state.hasEnded = true }
      return !state.hasEnded
    }
    if isFirst { receiver.finished(failure) }
  }

  private var hasEnded: Bool { state.withLock { $0.hasEnded } }
}

// MARK: - What the session tells

extension OwnExchange {
  func receive(_ response: URLResponse) {
    guard !hasEnded, let response = response as? HTTPURLResponse else { return }
    state.withLock { state in
      state.hasHead = true
      state.firstByte = state.firstByte ?? start.duration(to: .now)
    }
    do throws(LoadError) {
      receiver.received(try ResponseHead(response, of: state.withLock { $0.task }))
    } catch {
      end(error)
      TaskGate.passLater { self.stop() }
    }
  }

  func receive(_ data: Data) {
    if !hasEnded { receiver.received(data) }
  }

  func tellSent(_ count: Int64, of total: Int64) {
    if !hasEnded { receiver.sent(Int(count), of: total > 0 ? Int(total) : nil) }
  }

  func complete(_ error: (any Error)?) {
    let (untold, firstByte) = state.withLock { state in
      defer { (state.task, state.body) = (nil, nil) }
      return (state.hasHead ? nil : state.task?.response, state.firstByte)
    }
    // On Linux the head of a redirect that says no place isn't told.
    if error == nil, let untold { receive(untold) }
    if receiver.wantsMetrics, !hasEnded {
      var metrics = ExchangeMetrics(ended: start.duration(to: .now))
      metrics.firstByte = firstByte
      receiver.measured(metrics)
    }
    end(error.map { LoadError(transport: $0) })
  }

  /// Has the 3xx delivered: following it is decided above the transport.
  func stayHere(_ completionHandler: (URLRequest?) -> Void) {
    state.withLock { state in
      // On Linux the handler of a cancelled task brings the process down. `cancel()` sets the flag under
      // this lock before it touches the task, so inside it the answer can't come too late.
      if !state.isCancelled { completionHandler(nil) }
    }
  }

  func answer(
    _ challenge: URLAuthenticationChallenge,
    _ completionHandler: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard challenge.hangs(under: .performDefaultHandling, nil) else {
      return completionHandler(.performDefaultHandling, nil)
    }
    // The answer to the request is the 401 itself, and it is here; its head was told if it has a body.
    if let response = challenge.failureResponse, !state.withLock({ $0.hasHead }) {
      receive(response)
    }
    end(nil)
    state.withLock { state in
      if !state.isCancelled { completionHandler(.cancelAuthenticationChallenge, nil) }
    }
  }
}
