import PromiseModule
import Synchronization

/// One exchange that several loads wait for, in a task of its own.
final class SharedRun: Sendable {
  /// What came of it. A class, for it is handed to all who wait.
  final class Outcome: Sendable {
    let result: Result<Response, any Error>

    init(_ result: Result<Response, any Error>) { self.result = result }
  }

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
    let progress = ProgressReporter(
      when: { audience.wantsProgress }, { audience.tell($0) })
    context = first.shared(for: key.request, progress: progress) {
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
      let result: Result<Response, any Error>
      do { result = .success(try await next(request)) } catch { result = .failure(error) }
      ended()
      resolver.fulfill(Outcome(result))
    }
    resolver.onCancel { task.cancel() }
  }

  /// Counts a load among those that wait: the run has its time, too, and works on its behalf.
  ///
  /// - Returns: What it is dismissed by.
  func admit(_ load: LoadContext) -> Ticket {
    context.extend(to: load.deadline)
    load.follow(context)
    return audience.admit(load)
  }

  /// A load waits no longer.
  func dismiss(_ ticket: Ticket) { audience.dismiss(ticket) }

  typealias Ticket = FairQueue<LoadContext>.Ticket
}

extension SharedRun {
  /// Those who wait. Events are told in the name of the one that has waited longest, progress to all.
  private final class Audience: Sendable {
    private let waiters = Mutex(FairQueue<LoadContext>())

    var eldest: LoadContext? { waiters.withLock(\.first) }

    var wantsProgress: Bool { waiters.withLock { $0.contains { $0.progress != nil } } }

    func tell(_ progress: TransferProgress) {
      for load in waiters.withLock({ Array($0) }) { load.progress?(progress) }
    }

    func admit(_ load: LoadContext) -> Ticket { waiters.withLock { $0.append(load) } }

    func dismiss(_ ticket: Ticket) {
      // Freed outside of the lock.
      let load = waiters.withLock { $0.remove(ticket) }
      withExtendedLifetime(load) {}
    }
  }
}

/// The exchanges under way that loads share.
final class SharedRuns: Sendable {
  private let state = Mutex(Sharing<SharedRun>())

  /// The run for a request: the one under way, or a new one that the caller has to start.
  func join(_ request: Request, _ next: Next) -> (run: SharedRun, isNew: Bool) {
    let key = SharingKey(request: request, predicted: next.predicted(request), place: next.place)
    if let run = state.withLock({ $0[key] }) { return (run, false) }
    let fresh = SharedRun(key, for: next.context)
    let run = state.withLock { $0.begin(fresh, for: key) }
    return (run, run === fresh)
  }

  /// Takes a run out: nobody joins it any more.
  func end(_ run: SharedRun) {
    state.withLock { $0.end(run, for: run.key) }
  }
}
