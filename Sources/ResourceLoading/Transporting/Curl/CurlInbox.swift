#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc
  import Synchronization

  /// What other threads want from an engine, in order. Only the one who finds the engine asleep wakes it.
  final class CurlInbox: Sendable {
    enum Command: Sendable {
      case start(CurlExchange)
      case cancel(CurlExchange)
      case resume(CurlExchange)
    }

    /// What became of a command.
    enum Receipt {
      case taken
      /// It is the first one: there is no engine yet.
      case first
      case closed
    }

    private struct State {
      var commands: [Command] = []
      var hasEngine = false
      var isAsleep = false
      var isClosed = false
    }

    private let state = Mutex(State())
    /// An event counter that the engine waits for; -1 if the process has no descriptors left, and then the
    /// engine looks often.
    let signal = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    deinit {
      if signal >= 0 { Glibc.close(signal) }
    }
  }

  // MARK: - From any thread

  extension CurlInbox {
    func submit(_ command: Command) -> Receipt {
      let (receipt, wakes) = state.withLock { state -> (Receipt, Bool) in
        guard !state.isClosed else { return (.closed, false) }
        state.commands.append(command)
        defer { (state.hasEngine, state.isAsleep) = (true, false) }
        return (state.hasEngine ? .taken : .first, state.isAsleep)
      }
      if wakes { wake() }
      return receipt
    }

    func close() {
      let wakes = state.withLock { state in
        defer { (state.isClosed, state.isAsleep) = (true, false) }
        return state.isAsleep
      }
      if wakes { wake() }
    }

    private func wake() { eventfd_write(signal, 1) }
  }

  // MARK: - From the engine's thread

  extension CurlInbox {
    /// Exchanges an empty array for what has come in.
    ///
    /// - Returns: Whether there may be more to come.
    func take(_ commands: inout [Command]) -> Bool {
      state.withLock { state in
        swap(&state.commands, &commands)
        return !state.isClosed
      }
    }

    /// Announces that the engine is going to wait, unless something has come in.
    func fallAsleep() -> Bool {
      state.withLock { state in
        state.isAsleep = state.commands.isEmpty && !state.isClosed
        return state.isAsleep
      }
    }

    /// Ends what ``fallAsleep()`` announced.
    func wakeUp(signalled: Bool) {
      state.withLock { $0.isAsleep = false }
      var count: eventfd_t = 0
      if signalled { eventfd_read(signal, &count) }
    }
  }
#endif
