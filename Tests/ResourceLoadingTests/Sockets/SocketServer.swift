#if Curl && os(Linux)
  import Foundation
  import Synchronization

  @testable import ResourceLoading

  /// A server of sockets on any channel of bytes, which sends back what it receives.
  enum SocketServer {
    /// Answers a handshake and sends messages back, up to a close frame or the end.
    ///
    /// - Returns: The head of the handshake; `nil` if there was none.
    @discardableResult
    static func serve(_ channel: some ByteChannel) -> String? {
      guard let head = channel.readHead() else { return nil }
      let key = value(of: "Sec-WebSocket-Key", in: head) ?? ""
      channel.send(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
          + "Sec-WebSocket-Accept: \(WebSocketHandshake.acceptance(of: key))\r\n\r\n")
      echo(over: channel)
      return head
    }

    private static func echo(over channel: some ByteChannel) {
      var reader = WebSocketReader(limit: 1 << 20, isMasked: true)
      var writer = WebSocketWriter(masks: false)
      while let bytes = channel.receive() {
        var events: [WebSocketReader.Event] = []
        guard (try? reader.read(bytes, into: &events)) != nil else { return }
        for event in events {
          switch event {
          case .message(let message): channel.send(Array(writer.frame(message)))
          case .ping(let payload): channel.send(Array(writer.control(.pong, payload)))
          case .pong: break
          case .close(let closure): return channel.send(Array(writer.close(closure)))
          }
        }
      }
    }

    static func value(of name: String, in head: String) -> String? {
      head.components(separatedBy: "\r\n").lazy.compactMap { line -> String? in
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
        return parts[1].trimmingCharacters(in: .whitespaces)
      }.first
    }
  }

  /// A server of sockets over TLS.
  final class TLSSocketServer {
    private let listener: ConnectionListener

    /// - Parameter location: The URL to which handshakes are redirected; `nil` for none.
    init(_ identity: TLSIdentity, redirectingTo location: String? = nil) throws {
      listener = try ConnectionListener { socket, _ in
        guard let peer = TLSPeer(identity, over: socket) else { return }
        if let location {
          guard peer.readHead() != nil else { return }
          peer.send("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        } else {
          SocketServer.serve(peer)
        }
        peer.flush(peer.sealedGoodbye())
      }
    }

    var port: Int { listener.port }

    func url(_ host: String = "127.0.0.1") -> URL {
      URL(string: "wss://\(host):\(listener.port)/echo") ?? URL(filePath: "/")
    }

    func stop() { listener.stop() }
  }

  /// A proxy that makes tunnels for whoever has the password, and is the server at their ends.
  final class TunnelServer: Sendable {
    private let listener: ConnectionListener
    private let seen: Heads

    private final class Heads: Sendable {
      let all = Mutex<[String]>([])
      func note(_ head: String) { all.withLock { $0.append(head) } }
    }

    /// - Parameters:
    ///   - credentials: The user and the password, `me:secret`; `nil` if there are none.
    ///   - identity: The server's at the end of a tunnel; `nil` without TLS.
    init(credentials: String? = nil, _ identity: TLSIdentity? = nil) throws {
      let seen = Heads()
      self.seen = seen
      let expected = credentials.map { "Basic \(Data($0.utf8).base64EncodedString())" }
      listener = try ConnectionListener { socket, _ in
        guard let head = socket.readHead() else { return }
        seen.note(head)
        guard head.hasPrefix("CONNECT "),
          SocketServer.value(of: "Proxy-Authorization", in: head) == expected
        else {
          socket.send(
            "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n"
              + "Proxy-Authenticate: Basic realm=\"x\"\r\n\r\n")
          return
        }
        socket.send("HTTP/1.1 200 Established\r\n\r\n")
        guard let identity else {
          if let inner = SocketServer.serve(socket) { seen.note(inner) }
          return
        }
        guard let peer = TLSPeer(identity, over: socket), let inner = SocketServer.serve(peer)
        else { return }
        seen.note(inner)
      }
    }

    /// The heads that have arrived, of tunnels and of what went through them.
    var heads: [String] { seen.all.withLock { $0 } }

    func url(_ credentials: String? = nil) -> URL {
      URL(string: "http://\(credentials.map { "\($0)@" } ?? "")127.0.0.1:\(listener.port)")
        ?? URL(filePath: "/")
    }

    func stop() { listener.stop() }
  }
#endif
