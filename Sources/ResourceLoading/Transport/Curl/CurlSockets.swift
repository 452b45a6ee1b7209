#if Curl && canImport(CResourceCurl)
  import Glibc

  /// The connected sockets of an engine. libcurl doesn't tell which one a request goes out on, only the local
  /// port: sockets are kept by that. Those of Unix domain sockets have none, and stand together under 0.
  final class CurlSockets {
    private struct Connections {
      var sockets: [Int32] = []
      /// Whether HTTP/1 is spoken, in which a server may send nothing unasked; `nil` before the first answer.
      var speaksHTTP1: Bool?
    }

    private var connections: [Int32: Connections] = [:]
    private var ports: [Int32: Int32] = [:]
  }

  extension CurlSockets {
    /// A socket was connected.
    func add(_ socket: Int32, port: Int32) {
      remove(socket)
      ports[socket] = port
      connections[port, default: Connections()].sockets.append(socket)
    }

    /// A socket was closed.
    func remove(_ socket: Int32) {
      guard let port = ports.removeValue(forKey: socket) else { return }
      connections[port]?.sockets.removeAll { $0 == socket }
      if connections[port]?.sockets.isEmpty == true { connections[port] = nil }
    }

    /// A head came.
    func note(port: Int32, speaksHTTP1: Bool) { connections[port]?.speaksHTTP1 = speaksHTTP1 }

    /// Whether a request may go out on a connection that was used before: not if something has arrived on it,
    /// be it its end. That would count as the answer.
    ///
    /// Over TLS 1.3 a server may well send session tickets unasked. They come before its first answer and are
    /// read with that.
    ///
    /// - Parameter isBusy: Whether an exchange goes on over a socket. Asked where it isn't known which one it is.
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
