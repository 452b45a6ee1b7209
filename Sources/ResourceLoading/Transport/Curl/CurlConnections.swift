#if Curl && canImport(CResourceCurl)
  import CResourceCurl

  /// The connections of an engine, with details that libcurl doesn't report.
  struct CurlConnections {
    /// The sockets with one local port: several if it belongs to different addresses, or if they
    /// have none.
    ///
    /// libcurl reports only the port of the connection on which a request is sent. Unix domain
    /// sockets have none, and share the port 0.
    struct Sockets {
      let port: Int32
      var sockets: [Int32] = []
      /// When a request was given up on it because nothing arrived.
      var suspected: ContinuousClock.Instant?
      /// Whether a GOAWAY may have been written since the last request began, and its streams
      /// haven't ended yet.
      var isDoubtful = false
      /// The number of exchanges on it that haven't ended.
      var exchanges = 0
    }

    private var connections: [Int32: Sockets] = [:]
    private var ports: [Int32: Int32] = [:]
    /// The number of responses that end with their HTTP/2 stream, by the ports of their
    /// connections.
    private var openEnded: [Int32: Int] = [:]
    /// The bytes that had been written when ``measure()`` was called, by socket; `nil` if that
    /// isn't known.
    private var written: [Int32: UInt64?] = [:]
    /// The ports on which a request has begun since then.
    private var begun: Set<Int32> = []
    /// The bytes that were written since then to sockets that were closed.
    private var closed: [Int32: UInt64?] = [:]
    /// How often libcurl has handed over a part of a response without a length.
    private(set) var progress: UInt64 = 0
    /// The functions of the TLS library.
    let tls = resource_tls_find()
  }

  extension CurlConnections {
    /// Records a connected socket.
    mutating func add(_ socket: Int32, port: Int32) {
      remove(socket)
      // Its number may have been that of another connection.
      (written[socket], closed[socket]) = (nil, nil)
      ports[socket] = port
      connections[port, default: Sockets(port: port)].sockets.append(socket)
    }

    mutating func remove(_ socket: Int32) {
      let port = ports.removeValue(forKey: socket)
      if let before = written.removeValue(forKey: socket) {
        let isDoubtful = port.flatMap { connections[$0]?.isDoubtful } ?? false
        closed[socket] = .some(isDoubtful ? nil : Self.written(to: socket, since: before))
      }
      guard let port else { return }
      connections[port]?.sockets.removeAll { $0 == socket }
      if connections[port]?.sockets.isEmpty == true { connections[port] = nil }
    }

    subscript(port: Int32) -> Sockets? { connections[port] }

    /// Records that an exchange uses a connection.
    mutating func begin(on port: Int32) {
      connections[port]?.exchanges += 1
      // libcurl doesn't reuse a connection that is over.
      connections[port]?.isDoubtful = false
      if hasOpenEnds { begun.insert(port) }
    }

    /// Records that the exchange has ended.
    mutating func end(on port: Int32) { connections[port]?.exchanges -= 1 }
  }

  extension CurlConnections {
    /// How long a server has to be silent until its HTTP/2 connection counts as frozen. It is
    /// longer than most round trips: giving up a request at once costs no connection.
    private static let patience = Duration.milliseconds(150)

    /// Records that a request, sent at a time, was given up. Returns whether nothing has arrived on
    /// the connection since, or for some time.
    mutating func suspect(_ port: Int32, since sent: ContinuousClock.Instant) -> Bool {
      let now = ContinuousClock.now
      guard sent.duration(to: now) >= Self.patience, silence(of: port) >= Self.patience else {
        return false
      }
      connections[port]?.suspected = now
      return true
    }

    /// Returns whether nothing has arrived since a request was given up because of that.
    func isSuspected(_ port: Int32) -> Bool {
      guard let suspected = connections[port]?.suspected else { return false }
      return silence(of: port) >= suspected.duration(to: .now)
    }

    /// The time since bytes arrived on all sockets of a port; zero if it isn't known.
    private func silence(of port: Int32) -> Duration {
      let silences = (connections[port]?.sockets ?? []).map { socket in
        var state = resource_tcp_state()
        return unsafe resource_tcp_state(socket, &state) != 0 ? Int64(state.silence) : 0
      }
      return .milliseconds(silences.min() ?? 0)
    }
  }

  // When nghttp2 finds an error of an HTTP/2 connection, libcurl before 8.1 ends all its streams as
  // if they were complete, and closes it. It does the same when the last stream ends after a GOAWAY
  // of the server. They differ in that nghttp2 sends a GOAWAY itself for an error.

  extension CurlConnections {
    enum Ending {
      /// The stream has ended.
      case whole
      /// It was probably cut.
      case cut
      /// It was cut if the connection is over, which is found out if libcurl continues to read from
      /// its sockets.
      case unclear([Int32])
    }

    private static let isNeeded = resource_curl_version() < 0x08_01_00

    /// The smallest size of a GOAWAY over TLS: 17, and 21 for a record. Acknowledged settings and a
    /// larger window, which may come with the end of a stream, are smaller, and so is the alert
    /// that closes the connection.
    private static let goAwaySize: UInt64 = 38

    private var hasOpenEnds: Bool { !openEnded.isEmpty }

    /// Whether something has been measured, so that it has to be looked at before ``measure()`` is
    /// called again.
    var isMeasuring: Bool { !written.isEmpty || !closed.isEmpty }

    /// Records that a response on an HTTP/2 connection has no length. Returns whether its ending
    /// has to be determined.
    mutating func beginOpenEnd(on port: Int32) -> Bool {
      guard Self.isNeeded else { return false }
      openEnded[port, default: 0] += 1
      // Its first bytes have just been read, and more may be before anything else is called.
      for socket in connections[port]?.sockets ?? [] where written[socket] == nil {
        written[socket] = .some(Self.written(to: socket, since: 0))
      }
      return true
    }

    /// Records that such a response is over.
    mutating func finishOpenEnd(on port: Int32) {
      let count = (openEnded[port] ?? 0) - 1
      openEnded[port] = count > 0 ? count : nil
    }

    /// Records how much was written to the connections with such responses. Called before libcurl
    /// reads and writes.
    mutating func measure() {
      closed.removeAll(keepingCapacity: true)
      begun.removeAll(keepingCapacity: true)
      written.removeAll(keepingCapacity: true)
      for port in openEnded.keys {
        for socket in connections[port]?.sockets ?? [] {
          written[socket] = .some(Self.written(to: socket, since: 0))
        }
      }
    }

    /// Records which connections are doubtful. Called after libcurl has read and written.
    mutating func finishMeasuring() {
      for (socket, before) in written {
        guard let port = ports[socket], !begun.contains(port),
          (Self.written(to: socket, since: before) ?? 0) >= Self.goAwaySize
        else { continue }
        connections[port]?.isDoubtful = true
      }
    }

    /// Records that libcurl has handed over a part of a response.
    mutating func noteProgress() { progress &+= 1 }

    /// Returns how a response has ended that libcurl reports as complete.
    func ending(on port: Int32, _ sockets: [Int32]) -> Ending {
      for socket in sockets {
        guard let bytes = closed[socket] else { continue }
        return (bytes ?? .max) < Self.goAwaySize ? .whole : .cut
      }
      let isQuiet = sockets.allSatisfy { socket in
        guard let before = written[socket] else { return false }
        return (Self.written(to: socket, since: before) ?? .max) < Self.goAwaySize
      }
      let isDoubtful = connections[port]?.isDoubtful ?? false
      return isQuiet && !isDoubtful ? .whole : .unclear(sockets)
    }

    /// Returns whether a socket was closed since ``measure()``.
    func isClosed(_ socket: Int32) -> Bool { closed[socket] != nil }

    private static func written(to socket: Int32, since before: UInt64?) -> UInt64? {
      var state = resource_tcp_state()
      guard let before, unsafe resource_tcp_state(socket, &state) != 0 else { return nil }
      return state.written - min(before, state.written)
    }
  }
#endif
