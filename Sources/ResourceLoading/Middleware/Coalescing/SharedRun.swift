import PromiseModule
import Synchronization

/// One exchange that several loads wait for, in a task of its own.
final class SharedRun: Sendable {
  typealias Outcome = Result<Response, any Error>

  let key: SharingKey
  /// What comes of it. It is rejected only if all who waited have left.
  let promise: Promise<Outcome>
  private let resolver: Promise<Outcome>.Resolver
  private let context: LoadContext
  private let audience: Audience

  /// A run that isn't started yet, for the load that came first.
  init(_ key: SharingKey, for first: LoadContext) {
    let audience = Audience()
    self.key = key
    self.audience = audience
    context = first.shared(for: key.request, progress: ProgressReporter { audience.tell($0) }) {
      audience.eldest?.report($0.kind)
    }
    (promise, resolver) = Promise<Outcome>.pending()
  }
}

extension SharedRun {
  /// Sends the request on.
  ///
  /// - Parameter ended: Is called before the outcome is told.
  func start(_ next: Next, ended: @escaping @Sendable () -> Void) {
    let (request, next) = (key.request, next.on(behalfOf: context))
    let task = Task.startingHere { [resolver] in
      let outcome: Outcome
      do { outcome = .success(try await next(request)) } catch { outcome = .failure(error) }
      ended()
      resolver.fulfill(outcome)
    }
    resolver.onCancel { task.cancel() }
  }

  /// Counts a load among those that wait: the run has its time, too, and works on its behalf.
  ///
  /// - Returns: What it is dismissed by.
  func admit(_ load: LoadContext) -> Int {
    context.extend(to: load.deadline)
    load.follow(context)
    return audience.admit(load)
  }

  /// A load waits no longer.
  func dismiss(_ ticket: Int) { audience.dismiss(ticket) }
}

extension SharedRun {
  /// Those who wait. Events are told in the name of the one that has waited longest, progress to all.
  private final class Audience: Sendable {
    private let state = Mutex(State())

    private struct State {
      var waiters = Waiters<LoadContext>()
      var reporters: [Int: ProgressReporter] = [:]
    }

    var eldest: LoadContext? { state.withLock { $0.waiters.eldest } }

    func tell(_ progress: TransferProgress) {
      for report in state.withLock({ Array($0.reporters.values) }) { report(progress) }
    }

    func admit(_ load: LoadContext) -> Int {
      state.withLock { state in
        let ticket = state.waiters.admit(load)
        state.reporters[ticket] = load.progress
        return ticket
      }
    }

    func dismiss(_ ticket: Int) {
      state.withLock { state in
        state.waiters.dismiss(ticket)
        state.reporters[ticket] = nil
      }
    }
  }
}
