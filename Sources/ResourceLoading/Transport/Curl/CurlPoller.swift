#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc

  /// Waits for events of an engine's sockets and its inbox.
  final class CurlPoller {
    /// A socket and its events: `CURL_CSELECT_IN`, `CURL_CSELECT_OUT`.
    struct Event {
      var socket: Int32
      var what: Int32
    }

    private let descriptor: Int32
    private let signal: Int32
    private var ready = [epoll_event](repeating: epoll_event(), count: 256)
    /// The registrations by socket.
    private var states: [State] = []

    /// The state of a socket. Closing one isn't reported: the system removes it by itself, and its number may be used again.
    private enum State: UInt8 {
      case unknown
      case watched
      /// libcurl isn't interested in it, but will be for its next request: it stays registered until there is an event.
      case idle
    }

    /// - Parameter signal: An event counter that is raised when the inbox has commands. Raising it again is an event
    ///   again, although nobody reads it.
    /// - Returns: `nil` if the process can have no more descriptors.
    init?(signal: Int32) {
      descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
      self.signal = signal
      let events = EPOLLIN.rawValue | EPOLLET.rawValue
      guard descriptor >= 0, set(EPOLL_CTL_ADD, signal, events) else { return nil }
    }

    deinit {
      if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private func set(_ operation: Int32, _ socket: Int32, _ events: UInt32) -> Bool {
      resource_epoll_set(descriptor, operation, socket, events) == 0
    }
  }

  extension CurlPoller {
    /// Changes the events of a socket as libcurl demands.
    func watch(_ socket: Int32, _ what: Int32) {
      guard let index = index(of: socket) else { return }
      let state = states[index]
      guard what != CURL_POLL_REMOVE else {
        if state == .watched { states[index] = .idle }
        return
      }
      var events: UInt32 = 0
      if what & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
      if what & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
      // The more likely operation is tried first; the other is right if the number belongs to a new socket.
      let (first, second) =
        state == .unknown ? (EPOLL_CTL_ADD, EPOLL_CTL_MOD) : (EPOLL_CTL_MOD, EPOLL_CTL_ADD)
      if !set(first, socket, events) { _ = set(second, socket, events) }
      states[index] = .watched
    }

    private func index(of socket: Int32) -> Int? {
      guard let index = Int(exactly: socket), index >= 0 else { return nil }
      let missing = index + 1 - states.count
      if missing > 0 { states += repeatElement(.unknown, count: missing) }
      return index
    }

    /// Returns whether a socket is used by an exchange.
    func isWatched(_ socket: Int32) -> Bool {
      states.indices.contains(Int(socket)) && states[Int(socket)] == .watched
    }

    /// Returns whether an event is for libcurl. Otherwise the socket is removed: its server has probably closed it, which
    /// libcurl notices by itself.
    private func isWanted(_ socket: Int32) -> Bool {
      guard let index = index(of: socket) else { return false }
      guard states[index] != .watched else { return true }
      states[index] = .unknown
      _ = set(EPOLL_CTL_DEL, socket, 0)
      return false
    }

    /// Waits for an event of a socket, or for commands in the inbox.
    ///
    /// - Parameters:
    ///   - milliseconds: The longest time to wait; -1 for no limit.
    ///   - body: Called for each socket with an event.
    func wait(_ milliseconds: Int32, _ body: (Event) -> Void) {
      let count = epoll_wait(descriptor, &ready, Int32(ready.count), milliseconds)
      for index in 0..<max(0, Int(count)) {
        let socket = withUnsafePointer(to: ready[index]) { resource_epoll_descriptor($0) }
        guard socket != signal, isWanted(socket) else { continue }
        body(Event(socket: socket, what: Self.meaning(of: ready[index].events)))
      }
    }

    private static func meaning(of events: UInt32) -> Int32 {
      var what: Int32 = 0
      if events & EPOLLIN.rawValue != 0 { what |= CURL_CSELECT_IN }
      if events & EPOLLOUT.rawValue != 0 { what |= CURL_CSELECT_OUT }
      // libcurl notices it when it reads and writes.
      if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
        what |= CURL_CSELECT_IN | CURL_CSELECT_OUT
      }
      return what
    }
  }
#endif

#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc
  import Synchronization

  /// The commands of other threads for an engine, in order. Only a thread that finds the engine asleep wakes it.
  final class CurlInbox: Sendable {
    enum Command: Sendable {
      case start(CurlExchange)
      case cancel(CurlExchange)
      case resume(CurlExchange)
    }

    /// The result of adding a command.
    enum Receipt {
      case taken
      /// There is no engine, and one has to be started.
      case first
      case closed
    }

    private struct State {
      var commands: [Command] = []
      /// An event counter that the engine waits for; `nil` before the first engine.
      var signal: Int32?
      var hasEngine = false
      var isAsleep = false
      var isClosed = false

      /// Records that the engine is awake.
      ///
      /// - Returns: The counter to raise if it was asleep.
      mutating func wakeUp() -> Int32? {
        defer { isAsleep = false }
        return isAsleep ? signal : nil
      }
    }

    private let state = Mutex(State())

    deinit {
      if let signal = state.withLock({ $0.signal }) { Glibc.close(signal) }
    }
  }

  // MARK: - From any thread

  extension CurlInbox {
    func submit(_ command: Command) -> Receipt {
      let (receipt, signal) = state.withLock { state -> (Receipt, Int32?) in
        guard !state.isClosed else { return (.closed, nil) }
        state.commands.append(command)
        // Only an exchange needs an engine. What is said about one that was refused doesn't.
        guard case .start = command else { return (.taken, state.wakeUp()) }
        defer { state.hasEngine = true }
        return (state.hasEngine ? .taken : .first, state.wakeUp())
      }
      if let signal { eventfd_write(signal, 1) }
      return receipt
    }

    func close() {
      let signal = state.withLock { state in
        state.isClosed = true
        return state.wakeUp()
      }
      if let signal { eventfd_write(signal, 1) }
    }
  }

  // MARK: - From the engine's thread

  extension CurlInbox {
    /// Returns the event counter that is raised when there are commands; `nil` if the process can have no more descriptors.
    func openSignal() -> Int32? {
      state.withLock { state in
        let signal = state.signal ?? eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard signal >= 0 else { return nil }
        state.signal = signal
        return signal
      }
    }

    /// Records that the engine couldn't be set up. The next exchange starts another one.
    ///
    /// - Returns: The commands for it.
    func giveUp() -> [Command] {
      state.withLock { state in
        defer { (state.commands, state.hasEngine) = ([], false) }
        return state.commands
      }
    }

    /// Swaps an empty array for the commands.
    ///
    /// - Returns: Whether there may be more commands later.
    func take(_ commands: inout [Command]) -> Bool {
      state.withLock { state in
        swap(&state.commands, &commands)
        return !state.isClosed
      }
    }

    /// Records that the engine is going to wait, unless there are commands.
    func fallAsleep() -> Bool {
      state.withLock { state in
        state.isAsleep = state.commands.isEmpty && !state.isClosed
        return state.isAsleep
      }
    }

    /// Records that the engine is awake.
    func wakeUp() {
      state.withLock { $0.isAsleep = false }
    }
  }
#endif
