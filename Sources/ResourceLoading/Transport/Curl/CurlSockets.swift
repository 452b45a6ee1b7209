#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc

  /// The sockets of an engine: waits for their events.
  @safe final class CurlSockets {
    /// Whether the system reports the events of a socket. Closing one isn't recorded here, because
    /// the system removes it, and its number may be used again.
    private enum Registration: UInt8 {
      case none
      case watched
      /// libcurl isn't interested in it, but will be for its next request: it stays registered
      /// until there is an event.
      case idle
    }

    private let poller: Int32
    private let signal: Int32
    /// Unsafe because of the data of an event, which may be a pointer: here it is always a
    /// descriptor.
    private var ready = unsafe [epoll_event](repeating: epoll_event(), count: 256)
    /// The registrations by socket.
    private var registrations: [Registration] = []
    /// The sockets that the system had no memory to watch, with the events that libcurl wants.
    private var unwatched: [Int32: UInt32] = [:]
    var connections = CurlConnections()
    /// The exchanges that may switch protocols, by socket.
    private var switching: [Int32: CurlExchange] = [:]
    /// Those of them in whose sockets libcurl has lost interest.
    private var abandoned: [CurlExchange] = []

    /// `signal` is an event counter that is raised when the inbox has commands. Raising it again is
    /// an event again, although nothing reads it. `nil` if the process has no descriptors left.
    init?(signal: Int32) {
      poller = epoll_create1(Int32(EPOLL_CLOEXEC))
      self.signal = signal
      let events = EPOLLIN.rawValue | EPOLLET.rawValue
      guard poller >= 0, register(EPOLL_CTL_ADD, signal, events) else { return nil }
    }

    deinit {
      if poller >= 0 { Glibc.close(poller) }
    }

    private func register(_ operation: Int32, _ socket: Int32, _ events: UInt32) -> Bool {
      resource_epoll_set(poller, operation, socket, events) == 0
    }
  }

  extension CurlSockets {
    /// Changes the events of a socket as libcurl requires.
    func watch(_ socket: Int32, _ what: Int32) {
      guard let index = index(of: socket) else { return }
      let registration = registrations[index]
      unwatched[socket] = nil
      if let exchange = switching[socket] {
        abandoned.removeAll { $0 === exchange }
        if what == CURL_POLL_REMOVE { abandoned.append(exchange) }
      }
      guard what != CURL_POLL_REMOVE else {
        if registration == .watched { registrations[index] = .idle }
        return
      }
      var events: UInt32 = 0
      if what & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
      if what & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
      // The more likely operation is tried first; the other is right if the number belongs to a new
      // socket.
      let (first, second) =
        registration == .none ? (EPOLL_CTL_ADD, EPOLL_CTL_MOD) : (EPOLL_CTL_MOD, EPOLL_CTL_ADD)
      let isRegistered = register(first, socket, events) || register(second, socket, events)
      if !isRegistered { unwatched[socket] = events }
      registrations[index] = .watched
    }

    /// Waits for an event of a socket, or for commands in the inbox, at most for some milliseconds,
    /// or without a limit for -1. `body` is called for each socket with an event, with libcurl's
    /// flags for it.
    func wait(_ milliseconds: Int32, _ body: (_ socket: Int32, _ flags: Int32) -> Void) {
      let longest = unwatched.isEmpty ? milliseconds : Self.shortened(milliseconds)
      let count = unsafe epoll_wait(poller, &ready, Int32(ready.count), longest)
      for index in 0..<max(0, Int(count)) {
        let socket = unsafe withUnsafePointer(to: ready[index]) {
          unsafe resource_epoll_descriptor($0)
        }
        guard socket != signal, isWanted(socket) else { continue }
        unsafe body(socket, Self.flags(of: ready[index].events))
      }
      for (socket, events) in unwatched { body(socket, Self.flags(of: now(socket, events))) }
    }

    /// How long to wait while sockets aren't watched, in milliseconds.
    private static func shortened(_ milliseconds: Int32) -> Int32 {
      milliseconds < 0 ? 10 : min(milliseconds, 10)
    }

    /// Returns the events that a socket which isn't watched has now, and tries to watch it again.
    private func now(_ socket: Int32, _ events: UInt32) -> UInt32 {
      if register(EPOLL_CTL_ADD, socket, events) { unwatched[socket] = nil }
      // The constants of the two calls are the same.
      var request = pollfd(fd: socket, events: Int16(truncatingIfNeeded: events), revents: 0)
      _ = unsafe poll(&request, 1, 0)
      return UInt32(UInt16(bitPattern: request.revents))
    }

    /// Returns whether an event is for libcurl. Otherwise the socket is no longer watched, because
    /// its server has probably closed it, which libcurl notices.
    private func isWanted(_ socket: Int32) -> Bool {
      guard let index = index(of: socket) else { return false }
      guard registrations[index] != .watched else { return true }
      registrations[index] = .none
      _ = register(EPOLL_CTL_DEL, socket, 0)
      return false
    }

    private func index(of socket: Int32) -> Int? {
      guard let index = Int(exactly: socket), index >= 0 else { return nil }
      let missing = index + 1 - registrations.count
      if missing > 0 { registrations += repeatElement(.none, count: missing) }
      return index
    }

    private static func flags(of events: UInt32) -> Int32 {
      // libcurl notices an error and the end of a connection when it reads and writes.
      let isOver = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
      // A server may have answered and closed the connection since it became writable. Sending
      // would fail before the answer is read. Without flags libcurl polls the socket again right
      // before it reads and sends.
      guard isOver || events & EPOLLIN.rawValue != 0 else { return 0 }
      let isWritable = isOver || events & EPOLLOUT.rawValue != 0
      return isWritable ? CURL_CSELECT_IN | CURL_CSELECT_OUT : CURL_CSELECT_IN
    }
  }

  // MARK: - Switching protocols

  extension CurlSockets {
    /// Notes an exchange that may switch protocols.
    ///
    /// - Parameter sockets: Those that its connection may be.
    func begin(_ exchange: CurlExchange, on sockets: [Int32]) {
      for socket in sockets { switching[socket] = exchange }
    }

    /// Forgets an exchange that might have switched protocols.
    func end(_ exchange: CurlExchange, on sockets: [Int32]) {
      for socket in sockets where switching[socket] === exchange { switching[socket] = nil }
      abandoned.removeAll { $0 === exchange }
    }

    /// Returns the exchanges in whose sockets libcurl has lost interest. It doesn't say that a server
    /// has closed a connection while the request may go on. A transfer that it holds back doesn't
    /// interest it either.
    func takeAbandoned() -> [CurlExchange] {
      defer { if !abandoned.isEmpty { abandoned = [] } }
      return abandoned
    }
  }

  extension CurlSockets {
    /// Returns whether nothing has arrived on the sockets of a connection, not even its end.
    func isSilent(_ connection: CurlConnections.Sockets) -> Bool {
      // Of the Unix domain sockets, those in use by other exchanges don't count.
      !connection.sockets.contains { (connection.port != 0 || !isWatched($0)) && isReadable($0) }
    }

    /// What the system knows about the bytes on a connection.
    struct Traffic {
      /// The number of bytes whose arrival the other side has confirmed.
      var confirmed: UInt64
      /// The time since it last confirmed anything.
      var sinceConfirmation: Duration
      /// The time since bytes last arrived; `nil` if none have.
      var sinceData: Duration?
    }

    /// Returns the traffic on a connection; `nil` if that isn't known.
    func traffic(port: Int32) -> Traffic? {
      guard port != 0, let connection = connections[port], connection.sockets.count == 1 else {
        return nil
      }
      var traffic = resource_traffic()
      guard unsafe resource_socket_traffic(connection.sockets[0], &traffic) == 0 else { return nil }
      return Traffic(
        confirmed: traffic.confirmed, sinceConfirmation: .milliseconds(traffic.since_confirmation),
        sinceData: traffic.received > 0 ? .milliseconds(traffic.since_data) : nil)
    }

    private func isWatched(_ socket: Int32) -> Bool {
      registrations.indices.contains(Int(socket)) && registrations[Int(socket)] == .watched
    }

    private func isReadable(_ socket: Int32) -> Bool {
      var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      return unsafe poll(&request, 1, 0) != 0
    }
  }
#endif
