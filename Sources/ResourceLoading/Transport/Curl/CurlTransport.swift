#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Dispatch
  public import Foundation
  import Glibc
  import ResourcePrimitives
  import Synchronization

  /// Sends requests with libcurl, on a thread of its own.
  ///
  /// It is the default transport of a ``Client`` on Linux, where it is faster than
  /// ``URLSessionTransport`` by an order of magnitude, and no response crashes the process.
  ///
  /// ```swift
  /// var configuration = CurlTransport.Configuration()
  /// configuration.proxy = .init(url: URL(string: "http://proxy.example.org:3128")!)
  /// let client = Client { $0.transport = CurlTransport(configuration) }
  /// ```
  ///
  /// All requests of one transport share its connections, which are closed when its last copy is
  /// released. Nothing is taken from the environment: no proxy, no `.netrc`, no cookies, and no
  /// `SSLKEYLOGFILE`.
  ///
  /// Requests ask for `gzip`, `deflate`, `br` and `zstd`, unless they have an `Accept-Encoding` of
  /// their own or ask for a range. In any case these and `x-gzip` are decoded, up to five of them,
  /// and a body that is broken or cut off is an error; `identity` and `none` aren't codings. The
  /// head doesn't name decoded codings, nor the length and digests of the coded body. A decoded
  /// body that is more than 500 times as large as the coded one, and larger than 4 MiB, is an
  /// error, as is a `zstd` window of more than 8 MiB.
  ///
  /// Any other coding stays on the body, and the head names it in `Content-Encoding`. So do `br`
  /// and `zstd` on a system without the libraries for them, `libbrotlidec.so.1` and
  /// `libzstd.so.1`, which distributions install together with libcurl.
  public struct CurlTransport: Transport, CustomReflectable {
    private let owner: CurlInboxOwner
    private let identity: String?

    /// Creates a transport. Its thread starts with the first request.
    ///
    /// - Parameter configuration: Limits, proxy, TLS and other settings.
    public init(_ configuration: Configuration = Configuration()) {
      var configuration = configuration
      configuration.tls.clientCertificate = configuration.tls.clientCertificate?.loaded
      identity = ConnectionIdentity.text(
        certificate: configuration.tls.clientCertificate, proxy: configuration.proxy,
        socket: configuration.unixSocketPath)
      owner = CurlInboxOwner(CurlInbox(configuration))
    }

    /// Shows nothing: the settings hold secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// `true`: sockets are opened over HTTP/1.1, through a tunnel if there is a proxy.
    public var canSwitchProtocols: Bool { true }

    /// Returns a text about the client certificate, the credentials of the proxy, and the socket.
    public func identity(for url: URL) -> String? { identity }

    /// `true`.
    public var deliversInterimResponses: Bool { true }

    /// `true`.
    public var canDelayBodies: Bool { true }

    /// Hands a request to the transport's thread.
    ///
    /// The receiver is usually called on that thread, so it has to return soon.
    public func start(
      _ request: WireRequest, receiver: any ExchangeReceiver
    ) -> any Exchange {
      let exchange = CurlExchange(request, receiver, owner.inbox)
      owner.inbox.start(exchange)
      return exchange
    }

    /// Closes the transport: running and later requests fail with a ``LoadError`` of kind
    /// ``LoadError/Kind/closed``, and the connections are closed. It returns at once.
    public func close() { owner.inbox.close() }
  }

  /// Closes an inbox when the last copy of its transport is released.
  private final class CurlInboxOwner: Sendable {
    let inbox: CurlInbox

    init(_ inbox: CurlInbox) { self.inbox = inbox }

    deinit {
      inbox.close()
    }
  }

  /// The commands of other threads for an engine, in order. Only a thread that finds the engine
  /// asleep wakes it.
  final class CurlInbox: Sendable {
    enum Command: Sendable {
      case start(CurlExchange)
      case cancel(CurlExchange)
      case resume(CurlExchange)
      case findIdleTime(CurlExchange, @Sendable (Duration?) -> Void)
    }

    private struct State {
      var commands: [Command] = []
      /// An event counter that the engine waits for; `nil` before the first engine.
      var signal: Int32?
      var hasEngine = false
      var isAsleep = false
      var isClosed = false

      /// Records that the engine is awake, and returns the counter to raise if it was asleep.
      mutating func wakeUp() -> Int32? {
        defer { isAsleep = false }
        return isAsleep ? signal : nil
      }
    }

    private let configuration: CurlTransport.Configuration
    private let state = Mutex(State())

    init(_ configuration: CurlTransport.Configuration) { self.configuration = configuration }

    deinit {
      if let signal = state.withLock({ $0.signal }) { Glibc.close(signal) }
    }
  }

  extension CurlInbox {
    /// Submits an exchange. The first one starts the engine on a thread of its own.
    func start(_ exchange: CurlExchange) {
      let (isClosed, needsEngine, signal) = state.withLock { state in
        guard !state.isClosed else { return (true, false, nil as Int32?) }
        state.commands.append(.start(exchange))
        defer { state.hasEngine = true }
        return (false, !state.hasEngine, state.wakeUp())
      }
      if let signal { eventfd_write(signal, 1) }
      if needsEngine { startEngine() }
      // Not on the caller's thread, which may hold a lock that the receiver needs.
      if isClosed { DispatchQueue.global().async { exchange.end(.transportClosed) } }
    }

    private func startEngine() {
      let isStarted = SystemThread.start { [self] in CurlEngine.run(configuration, self) }
      // Not on the caller's thread, as above.
      if !isStarted { DispatchQueue.global().async { CurlEngine.giveUp(self) } }
    }

    /// Submits a command for an exchange that was submitted before.
    func submit(_ command: Command) {
      let signal = state.withLock { state in
        guard !state.isClosed else { return nil as Int32? }
        state.commands.append(command)
        return state.wakeUp()
      }
      if let signal { eventfd_write(signal, 1) }
    }

    /// Ends the engine.
    func close() {
      let signal = state.withLock { state in
        state.isClosed = true
        return state.wakeUp()
      }
      if let signal { eventfd_write(signal, 1) }
    }
  }

  extension CurlInbox {
    /// Returns the event counter that is raised when there are commands; `nil` if the process can
    /// have no more descriptors.
    func openSignal() -> Int32? {
      state.withLock { state in
        let signal = state.signal ?? eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard signal >= 0 else { return nil }
        state.signal = signal
        return signal
      }
    }

    /// Records that the engine couldn't be set up, and returns its commands. The next exchange
    /// starts another one.
    func giveUp() -> [Command] {
      state.withLock { state in
        defer { (state.commands, state.hasEngine) = ([], false) }
        return state.commands
      }
    }

    /// Swaps an empty array for the commands. Returns whether there may be more commands later.
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
