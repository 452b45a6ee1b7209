#if Valkey && canImport(CResourceHiredis)
  internal import CResourceHiredis
  internal import Dispatch
  internal import Foundation
  internal import PromiseModule
  internal import ResourceLoading
  internal import Synchronization

  /// A limited number of connections, each with a thread of its own. Jobs that wait while all
  /// connections are in use are sent together.
  final class CommandPool: Sendable {
    private let address: ValkeyAddress
    private let settings: ValkeySettings
    private let state: Mutex<State>
    private let wakeUps = DispatchSemaphore(value: 0)

    /// Commands that are sent together on one connection.
    struct Job: Sendable {
      /// Returns the commands for a server, or `nil` if they are for another one.
      let commands: @Sendable (_ serverID: String) -> [Command]?
      /// Whether the commands can be sent again if the connection is lost.
      let isRepeatable: Bool
      let submission = ContinuousClock.now
      /// `nil` if nothing waits for the replies.
      let resolver: Promise<[Reply]?>.Resolver?
    }

    fileprivate struct State {
      var queue: [Job] = []
      var threads = 0
      /// The threads that wait to be woken.
      var idleThreads = 0
      var availability: Availability
      var isTrialDue = false
      /// The attempts to connect that are under way.
      var attempts: Set<Int> = []
      var lastAttempt = 0
      var lastFailure = ConnectionFailure("it failed")
      var isClosed = false
    }

    init(_ address: ValkeyAddress, _ settings: ValkeySettings) {
      self.address = address
      self.settings = settings
      state = Mutex(State(availability: Availability(pauses: settings.pauses)))
    }
  }

  extension CommandPool {
    var isAvailable: Bool { state.withLock { $0.availability.isAvailable && !$0.isClosed } }

    /// The number of threads, for tests.
    var threadCount: Int { state.withLock(\.threads) }

    /// Enqueues a job, or rejects it at once if the server is unavailable.
    func submit(_ job: Job) {
      var rejection: LoadError?
      let action = state.withLock { state -> WakeUp in
        guard !state.isClosed else {
          rejection = .valkeyClosed
          return .none
        }
        switch state.availability.use(at: .now) {
        case .available where state.queue.count < settings.maximumQueueSize:
          state.queue.append(job)
          return state.wakeUp(limit: settings.maximumConnections)
        case .available:
          rejection = .valkeyIsBusy(address)
          return .none
        case .unavailable:
          rejection = .valkey(address, state.lastFailure)
          return .none
        case .dueForTrial:
          rejection = .valkey(address, state.lastFailure)
          state.isTrialDue = true
          return state.wakeUp(limit: settings.maximumConnections)
        }
      }
      if let rejection { job.resolver?.reject(rejection) }
      switch action {
      case .none: break
      case .thread: wakeUps.signal()
      case .newThread: Thread.detachNewThread { [self] in work() }
      }
    }

    /// Rejects waiting and later jobs, and ends the threads after what they are doing.
    func close() {
      let (jobs, idle) = state.withLock { state in
        defer { (state.isClosed, state.queue, state.idleThreads) = (true, [], 0) }
        return (state.queue, state.idleThreads)
      }
      for job in jobs { job.resolver?.reject(LoadError.valkeyClosed) }
      for _ in 0..<idle { wakeUps.signal() }
    }
  }

  extension CommandPool {
    fileprivate enum WakeUp { case none, thread, newThread }

    private enum Step {
      case wait, end, connect, tryServer
    }

    /// The work of a thread.
    private func work() {
      resource_hiredis_ignore_broken_pipes()
      var connection: ServerConnection?
      while true {
        switch nextStep() {
        case .end: return
        case .wait: wakeUps.wait()
        case .tryServer:
          connection = nil
          connection = connect()
        case .connect:
          if connection == nil { connection = connect() }
          if let open = connection, !run(takeJobs(), open) { connection = nil }
        }
      }
    }

    private func nextStep() -> Step {
      state.withLock { state in
        if state.isClosed { return .end }
        if state.isTrialDue {
          state.isTrialDue = false
          return .tryServer
        }
        guard state.queue.isEmpty else { return .connect }
        state.idleThreads += 1
        return .wait
      }
    }

    /// Takes the jobs to be sent together: one if there are enough connections for all.
    private func takeJobs() -> [Job] {
      state.withLock { state in
        let share = state.queue.count / settings.maximumConnections
        let count = min(state.queue.count, max(1, min(share, 16)))
        defer { state.queue.removeFirst(count) }
        return Array(state.queue.prefix(count))
      }
    }

    /// Runs jobs, and once more if the server has closed the connection since it was last used.
    /// Returns whether the connection can still be used.
    private func run(_ jobs: [Job], _ connection: ServerConnection) -> Bool {
      var jobs = withoutExpired(jobs).filter { $0.resolver?.isPending ?? true }
      guard !jobs.isEmpty else { return true }
      do {
        try send(&jobs, connection)
        return true
      } catch {
        guard connection.wasUsed, error.isDisconnection else {
          noteFailure(error, rejecting: jobs)
          return false
        }
        for job in jobs where !job.isRepeatable { reject([job], error) }
        jobs.removeAll { !$0.isRepeatable }
        guard !jobs.isEmpty else { return false }
        // At the head of the queue, for the next connection.
        let isOver = state.withLock { state in
          guard !state.isClosed, state.availability.isAvailable else { return true }
          state.queue.insert(contentsOf: jobs, at: 0)
          return false
        }
        if isOver { reject(jobs, error) }
        return false
      }
    }

    /// Rejects jobs that have waited too long for a connection, so that a slow server can't delay
    /// loads without bound.
    private func withoutExpired(_ jobs: [Job]) -> [Job] {
      let longest = (settings.timeLimit + settings.connectTimeLimit) * 2
      let oldest = ContinuousClock.now.advanced(by: .zero - longest)
      for job in jobs where job.submission < oldest {
        job.resolver?.reject(LoadError.valkeyIsBusy(address))
      }
      return jobs.filter { $0.submission >= oldest }
    }

    /// Sends jobs together, and settles them. Those that aren't settled remain in the list.
    private func send(
      _ jobs: inout [Job], _ connection: ServerConnection
    ) throws(ConnectionFailure) {
      let commands = jobs.map { $0.commands(connection.serverID) }
      var replies = try connection.run(
        commands.flatMap { $0 ?? [] }, within: settings.timeLimit * (jobs.count > 1 ? 2 : 1))[...]
      for case .failure(let reason) in replies where Reply.failure(reason).isOutage {
        throw ConnectionFailure(reason)
      }
      state.withLock { $0.availability.noteSuccess() }
      for (job, commands) in zip(jobs, commands) {
        let count = commands?.count ?? 0
        job.resolver?.fulfill(commands == nil ? nil : Array(replies.prefix(count)))
        replies.removeFirst(count)
      }
      jobs = []
    }

    private func connect() -> ServerConnection? {
      let attempt = state.withLock { state in
        state.lastAttempt += 1
        state.attempts.insert(state.lastAttempt)
        return state.lastAttempt
      }
      // Looking up a name has no limit of its own.
      let limit = settings.connectTimeLimit + settings.timeLimit
      DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) { [weak self] in
        guard let self, state.withLock({ $0.attempts.contains(attempt) }) else { return }
        noteFailure(.timedOut, rejecting: [])
      }
      let result = Result { () throws(ConnectionFailure) in
        try ServerConnection(address, settings)
      }
      state.withLock { _ = $0.attempts.remove(attempt) }
      switch result {
      case .success(let connection):
        state.withLock { $0.availability.noteSuccess() }
        return connection
      case .failure(let failure):
        noteFailure(failure, rejecting: [])
        return nil
      }
    }

    /// Pauses the use of the server, and rejects jobs and all that wait.
    private func noteFailure(_ failure: ConnectionFailure, rejecting jobs: [Job]) {
      let waiting = state.withLock { state in
        state.availability.noteFailure(at: .now, jitter: .random(in: 0...1))
        state.lastFailure = failure
        defer { state.queue = [] }
        return state.queue
      }
      reject(jobs + waiting, failure)
    }

    private func reject(_ jobs: [Job], _ failure: ConnectionFailure) {
      for job in jobs { job.resolver?.reject(LoadError.valkey(address, failure)) }
    }
  }

  extension CommandPool.State {
    /// Chooses a thread for what there is to do.
    fileprivate mutating func wakeUp(limit: Int) -> CommandPool.WakeUp {
      if idleThreads > 0 {
        idleThreads -= 1
        return .thread
      }
      guard threads < limit else { return .none }
      threads += 1
      return .newThread
    }
  }

  extension Reply {
    /// Whether the server can't be used at present.
    fileprivate var isOutage: Bool {
      guard let code = failureCode else { return false }
      return ["LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "BUSY"].contains(code)
    }
  }

  extension LoadError {
    fileprivate static func valkey(
      _ address: ValkeyAddress, _ failure: ConnectionFailure
    ) -> LoadError {
      LoadError(
        .store, "the server at \(address) can't be used: \(failure.reason)",
        advice: failure.advice
          ?? "Check that Valkey or Redis runs there, and that its time limits are long enough")
    }

    fileprivate static func valkeyIsBusy(_ address: ValkeyAddress) -> LoadError {
      LoadError(
        .store, "too many commands wait for the server at \(address)",
        advice: "Raise maximumConnections, or maximumQueueSize")
    }

    fileprivate static var valkeyClosed: LoadError {
      LoadError(.closed, "the connections to the server were closed", advice: "Create a new one")
    }
  }
#endif
