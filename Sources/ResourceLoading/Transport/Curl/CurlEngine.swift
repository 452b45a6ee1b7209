#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Dispatch
  import Glibc

  /// Drives the transfers of one transport. It is created, used and freed on one thread.
  @safe final class CurlEngine {
    private let inbox: CurlInbox
    /// The multi handle, which is freed in `deinit`.
    private let multi: UnsafeMutableRawPointer
    private let pool: CurlPool
    /// Owned by the engine, because libcurl reports sockets until it is freed.
    private let sockets: CurlSockets
    /// When libcurl has to be called, in nanoseconds since the start of the machine.
    private var alarm: UInt64?
    private var commands: [CurlInbox.Command] = []
    /// The exchanges whose end has to be reported.
    private var ended: [(exchange: CurlExchange, failure: LoadError?, metrics: ExchangeMetrics?)] =
      []

    private init?(_ configuration: CurlTransport.Configuration, _ inbox: CurlInbox) {
      guard CurlLibrary.isReady, let signal = inbox.openSignal(),
        let sockets = CurlSockets(signal: signal), let pool = CurlPool(configuration, sockets),
        let multi = unsafe curl_multi_init()
      else { return nil }
      self.inbox = inbox
      self.sockets = sockets
      self.pool = pool
      unsafe self.multi = multi
      guard configure(configuration) else { return nil }
    }

    deinit {
      // It must not call back while the engine is freed.
      _ = unsafe resource_curl_multi_set_callbacks(multi, nil, nil, nil)
      unsafe curl_multi_cleanup(multi)
    }
  }

  extension CurlEngine {
    /// Runs the engine on the calling thread until its inbox is closed, or not at all if it can't
    /// be set up.
    static func run(_ configuration: CurlTransport.Configuration, _ inbox: CurlInbox) {
      guard let engine = CurlEngine(configuration, inbox) else {
        giveUp(inbox)
        return
      }
      engine.run()
    }

    /// Fails what waits for an engine that can't be set up. A later exchange starts another one: the
    /// process may have descriptors and threads then.
    static func giveUp(_ inbox: CurlInbox) {
      for case .start(let exchange) in inbox.giveUp() { exchange.end(.curlUnavailable) }
    }

    /// - Returns: Whether libcurl has taken all settings.
    private func configure(_ configuration: CurlTransport.Configuration) -> Bool {
      let limits = [
        (CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.maximumConnections),
        (CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maximumConnectionsPerHost),
        (CURLMOPT_MAXCONNECTS, configuration.maximumConnections),
      ]
      var codes = limits.map { option, limit in
        unsafe resource_curl_multi_set_long(multi, option, max(1, min(limit, Int(Int32.max))))
      }
      // Not retained: `deinit` takes the callbacks away.
      codes.append(
        unsafe resource_curl_multi_set_callbacks(
          multi, watchSocket, scheduleAlarm, Unmanaged.passUnretained(self).toOpaque()))
      return codes.allSatisfy { $0 == CURLM_OK }
    }
  }

  extension CurlEngine {
    private func run() {
      while inbox.take(&commands) {
        for command in commands { carryOut(command) }
        commands.removeAll(keepingCapacity: true)
        ringAlarm()
        finishTransfers()
        wait()
        finishTransfers()
      }
      tearDown()
    }

    private func carryOut(_ command: CurlInbox.Command) {
      switch command {
      case .start(let exchange): start(exchange)
      case .cancel(let exchange):
        guard let transfer = pool.transfer(of: exchange) else { return }
        transfer.giveUp()
        remove(transfer)
      case .resume(let exchange):
        guard let transfer = pool.transfer(of: exchange) else { return }
        let code = transfer.resume()
        // libcurl doesn't end it in this case.
        if code != CURLE_OK { end(transfer, transfer.outcome(code)) }
      case .findIdleTime(let exchange, let report):
        report(pool.transfer(of: exchange)?.idleTime)
      }
    }

    private func start(_ exchange: CurlExchange) {
      guard !exchange.isCancelled else { return }
      do throws(LoadError) {
        let transfer = try pool.take(for: exchange)
        guard unsafe curl_multi_add_handle(multi, transfer.handle.easy) == CURLM_OK else {
          pool.put(transfer)
          return exchange.end(.curlOutOfMemory)
        }
      } catch {
        exchange.end(error)
      }
    }

    private func finishTransfers() {
      var code = CURLE_OK
      while let easy = unsafe resource_curl_multi_next(multi, &code) {
        guard let transfer = unsafe CurlTransfer.of(easy) else { continue }
        if transfer.beginsAnew(after: code), restart(transfer) { continue }
        if code == CURLE_OK, isCut(transfer) { transfer.cut() }
        let failure = transfer.outcome(code)
        if let exchange = transfer.exchange {
          exchange.note(transfer.trailers)
          ended.append((exchange, failure, transfer.metrics))
        }
        remove(transfer)
      }
      for exchange in sockets.takeAbandoned() {
        // Not whether the exchange is paused: it may have been resumed since.
        guard let transfer = pool.transfer(of: exchange), !transfer.isHeld else { continue }
        ended.append((exchange, transfer.closedByServer, transfer.metrics))
        remove(transfer)
      }
      reportEnds()
    }

    /// Returns whether a response was cut that libcurl reports as complete.
    private func isCut(_ transfer: CurlTransfer) -> Bool {
      switch transfer.ending {
      case .whole: return false
      case .cut: return true
      case .unclear(let candidates):
        return candidates.contains(where: endsAll)
      }
    }

    /// Returns whether a connection turns out to be over when libcurl reads from its socket: then
    /// all its streams end, as soon as what was read for them is delivered, and it is closed.
    private func endsAll(on socket: Int32) -> Bool {
      var before: (running: Int32, progress: UInt64)?
      while !sockets.connections.isClosed(socket) {
        let now = (work(on: socket, CURL_CSELECT_IN), sockets.connections.progress)
        if let before, before == now { return false }
        before = now
      }
      return true
    }

    private func restart(_ transfer: CurlTransfer) -> Bool {
      unsafe curl_multi_remove_handle(multi, transfer.handle.easy)
      return unsafe curl_multi_add_handle(multi, transfer.handle.easy) == CURLM_OK
    }

    /// Reports all ends at once: the task that is resumed by the first one is still waking up when
    /// the last is reported, and one thread continues with all of them.
    private func reportEnds() {
      guard !ended.isEmpty else { return }
      for (exchange, failure, metrics) in ended { exchange.finish(failure, metrics) }
      ended.removeAll(keepingCapacity: true)
    }

    private func end(_ transfer: CurlTransfer, _ failure: LoadError?) {
      let exchange = transfer.exchange
      remove(transfer)
      exchange?.finish(failure)
    }

    private func remove(_ transfer: CurlTransfer) {
      unsafe curl_multi_remove_handle(multi, transfer.handle.easy)
      pool.put(transfer)
    }

    /// Ends the remaining exchanges when the inbox is closed.
    private func tearDown() {
      for case .start(let exchange) in commands { exchange.end(.transportClosed) }
      for transfer in pool.busy { end(transfer, .transportClosed) }
      pool.removeAll()
    }
  }

  extension CurlEngine {
    private func wait() {
      let sleeps = inbox.fallAsleep()
      sockets.wait(sleeps ? timeToAlarm : 0, workAndFinish)
      if sleeps { inbox.wakeUp() }
    }

    /// The time to wait in milliseconds, rounded up; -1 for no limit.
    private var timeToAlarm: Int32 {
      guard let alarm else { return -1 }
      let now = Self.now
      guard alarm > now else { return 0 }
      return Int32(clamping: (alarm - now + 999_999) / 1_000_000)
    }

    private func ringAlarm() {
      guard let alarm, alarm <= Self.now else { return }
      self.alarm = nil
      workAndFinish(on: CURL_SOCKET_TIMEOUT, 0)
    }

    /// Runs libcurl, which reads and writes, because of an event of a socket, or
    /// `CURL_SOCKET_TIMEOUT`. Returns the number of transfers that haven't ended.
    @discardableResult
    private func work(on socket: Int32, _ flags: Int32) -> Int32 {
      var running: Int32 = 0
      unsafe curl_multi_socket_action(multi, socket, flags, &running)
      return running
    }

    /// Runs libcurl, which reads and writes, and checks at once how responses without a length have
    /// ended.
    private func workAndFinish(on socket: Int32, _ flags: Int32) {
      sockets.connections.measure()
      work(on: socket, flags)
      guard sockets.connections.isMeasuring else { return }
      finishTransfers()
      sockets.connections.finishMeasuring()
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    fileprivate func setAlarm(in milliseconds: Int) {
      alarm = milliseconds < 0 ? nil : Self.now + UInt64(milliseconds) * 1_000_000
    }

    fileprivate func watch(_ socket: Int32, _ what: Int32) { sockets.watch(socket, what) }
  }

  // libcurl passes the context, which is the engine, and calls them only while the engine calls it.

  private func watchSocket(
    _: UnsafeMutableRawPointer?, socket: Int32, what: Int32, engine: UnsafeMutableRawPointer?,
    _: UnsafeMutableRawPointer?
  ) -> Int32 {
    guard let engine = unsafe engine else { return 0 }
    unsafe Unmanaged<CurlEngine>.fromOpaque(engine).takeUnretainedValue().watch(socket, what)
    return 0
  }

  private func scheduleAlarm(
    _: UnsafeMutableRawPointer?, milliseconds: Int, engine: UnsafeMutableRawPointer?
  ) -> Int32 {
    guard let engine = unsafe engine else { return 0 }
    unsafe Unmanaged<CurlEngine>.fromOpaque(engine).takeUnretainedValue().setAlarm(in: milliseconds)
    return 0
  }

  /// The initialisation of libcurl, once in a process.
  enum CurlLibrary {
    static let isReady: Bool = {
      keepOpenSSLToTheEnd()
      return withoutKeyLog { curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK }
    }()

    /// Hides `SSLKEYLOGFILE`, which libcurl reads only when it is initialised: it would write the
    /// keys of all connections into that file.
    ///
    /// The variable is empty in the meantime, which counts as absent. Removing it from the
    /// environment would move others, while other threads may be reading them, and child processes
    /// wouldn't get it.
    private static func withoutKeyLog(_ body: () -> Bool) -> Bool {
      guard let value = unsafe getenv("SSLKEYLOGFILE"), unsafe value.pointee != 0 else {
        return body()
      }
      let first = unsafe value.pointee
      unsafe value.pointee = 0
      defer { unsafe value.pointee = first }
      return body()
    }

    /// Keeps OpenSSL, if libcurl is built with it, from freeing its memory when the process exits.
    ///
    /// It would do so in a handler of `exit`, while threads of transports may be using it: a
    /// program that exited during a load, or right after it released a client, sometimes crashed.
    /// The system frees the memory in any case. Without effect if other code has initialised
    /// OpenSSL before.
    private static func keepOpenSSLToTheEnd() {
      typealias Setup = @convention(c) (UInt64, OpaquePointer?) -> Int32
      guard let symbol = unsafe dlsym(nil, "OPENSSL_init_crypto") else { return }
      let withoutHandler: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
      // The type is that of OpenSSL's header, where the second parameter is a pointer that may be
      // null.
      _ = unsafe unsafeBitCast(symbol, to: Setup.self)(withoutHandler, nil)
    }
  }
#endif
