#if Curl && canImport(CResourceCurl)
  import Glibc

  /// The connected sockets of an engine by their local ports, because libcurl tells only the port of the connection on which
  /// a request is sent. Unix domain sockets have none, and share the key 0.
  final class CurlSockets {
    private struct Connections {
      var sockets: [Int32] = []
      /// Whether the protocol is HTTP/1, in which a server sends nothing without a request; `nil` before the first response.
      var speaksHTTP1: Bool?
    }

    private var connections: [Int32: Connections] = [:]
    private var ports: [Int32: Int32] = [:]
  }

  extension CurlSockets {
    /// Records a connected socket.
    func add(_ socket: Int32, port: Int32) {
      remove(socket)
      ports[socket] = port
      connections[port, default: Connections()].sockets.append(socket)
    }

    /// Records that a socket was closed.
    func remove(_ socket: Int32) {
      guard let port = ports.removeValue(forKey: socket) else { return }
      connections[port]?.sockets.removeAll { $0 == socket }
      if connections[port]?.sockets.isEmpty == true { connections[port] = nil }
    }

    /// Records the protocol of a response.
    func note(port: Int32, speaksHTTP1: Bool) { connections[port]?.speaksHTTP1 = speaksHTTP1 }

    /// Returns whether a request may be sent on a connection that was used before: not if bytes or its end have arrived on it,
    /// which would be taken for the response.
    ///
    /// Over TLS 1.3 a server may send session tickets without a request. They arrive before its first response and are read
    /// with that.
    ///
    /// - Parameter isBusy: Returns whether a socket is used by an exchange, for ports with several sockets.
    func isSilent(port: Int32, isBusy: (Int32) -> Bool) -> Bool {
      guard let connections = connections[port] else { return false }
      guard connections.speaksHTTP1 == true else { return true }
      return !connections.sockets.contains { (port != 0 || !isBusy($0)) && isReadable($0) }
    }

    private func isReadable(_ socket: Int32) -> Bool {
      var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      return poll(&request, 1, 0) != 0
    }
  }
#endif
