#if Curl && os(Linux)
  import ResourceLoading
  import Testing

  /// What a server does with TLS records in the middle of a body, and the expected result.
  struct TLSFault: Sendable, CustomTestStringConvertible {
    enum Framing: String, CaseIterable, Sendable {
      case length = "Content-Length: 5"
      case chunks = "Transfer-Encoding: chunked"
      case nothing = "X-A: b"
    }

    var name: String
    /// The versions of TLS that have it.
    var versions = TLSIdentity.Version.allCases
    /// Continues after the head and `he`, and ends the connection.
    var commit: @Sendable (TLSPeer, ServerSocket, _ rest: [UInt8]) -> Void
    /// Whether the body is complete; `nil` if it may be either.
    var isWhole: @Sendable (Framing) -> Bool?

    var testDescription: String { name }

    /// A body without a length or chunks ends with its connection. libcurl doesn't require the
    /// alert, because many servers omit it; see the article about security.
    private static let endsWithConnection: @Sendable (Framing) -> Bool? = { $0 == .nothing }

    private static func bye(_ peer: TLSPeer) { peer.flush(peer.sealedGoodbye()) }

    static let all: [TLSFault] = [
      TLSFault(
        name: "close_notify in the body", commit: { peer, _, _ in bye(peer) },
        isWhole: { $0 == .nothing }),
      TLSFault(
        name: "the end without close_notify in the body",
        commit: { _, socket, _ in socket.finish() },
        isWhole: endsWithConnection),
      TLSFault(
        name: "a reset in the body", commit: { _, socket, _ in socket.reset() },
        isWhole: { _ in false }),
      TLSFault(
        name: "a fatal alert in the body",
        commit: { peer, _, _ in peer.flush(peer.sealedFatalAlert()) }, isWhole: { _ in false }),
      TLSFault(
        name: "a record that can't be decrypted",
        commit: { peer, _, _ in
          peer.flush([23, 3, 3, 0, 32] + [UInt8](repeating: 7, count: 32))
          peer.readToEnd()
        }, isWhole: { _ in false }),
      TLSFault(
        name: "a changed bit",
        commit: { peer, _, rest in
          var record = peer.seal(rest)
          record[record.count - 1] ^= 1
          peer.flush(record)
          peer.readToEnd()
        }, isWhole: { _ in false }),
      TLSFault(
        name: "a record that is too long",
        commit: { peer, _, _ in
          peer.flush([23, 3, 3, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 32))
          peer.readToEnd()
        }, isWhole: { _ in false }),
      TLSFault(
        name: "a record of an unknown kind",
        commit: { peer, _, _ in
          peer.flush([99, 3, 3, 0, 1, 0])
          peer.readToEnd()
        }, isWhole: { _ in false }),
      TLSFault(
        name: "text without TLS",
        commit: { peer, _, _ in
          peer.flush(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
          peer.readToEnd()
        }, isWhole: { _ in false }),
      TLSFault(
        name: "a record cut in its head",
        commit: { peer, socket, rest in
          peer.flush(Array(peer.seal(rest).prefix(3)))
          socket.finish()
        }, isWhole: endsWithConnection),
      TLSFault(
        name: "a record cut in its middle",
        commit: { peer, socket, rest in
          peer.flush(peer.seal(rest).dropLast(4))
          socket.finish()
        }, isWhole: endsWithConnection),
      TLSFault(
        name: "a record cut in its middle, and a reset",
        commit: { peer, socket, rest in
          peer.flush(peer.seal(rest).dropLast(4))
          socket.reset()
        }, isWhole: { _ in false }),
      TLSFault(
        name: "a record in single bytes",
        commit: { peer, _, rest in
          for byte in peer.seal(rest) { peer.flush([byte]) }
          bye(peer)
        }, isWhole: { _ in true }),
      TLSFault(
        name: "a record for each byte",
        commit: { peer, _, rest in
          for byte in rest { peer.send([byte]) }
          bye(peer)
        }, isWhole: { _ in true }),
      TLSFault(
        name: "the end without close_notify behind the body",
        commit: { peer, socket, rest in
          peer.send(rest)
          socket.finish()
        }, isWhole: { _ in true }),
      TLSFault(
        name: "a record behind close_notify",
        commit: { peer, _, rest in
          let record = peer.seal(rest)
          bye(peer)
          peer.flush(record)
        }, isWhole: { _ in false }),
      TLSFault(
        name: "new keys", versions: [.tls13],
        commit: { peer, _, rest in
          peer.flush(peer.sealedKeyUpdate())
          peer.send(rest)
          bye(peer)
        }, isWhole: { _ in true }),
      TLSFault(
        name: "a session ticket", versions: [.tls13],
        commit: { peer, _, rest in
          peer.flush(peer.sealedTicket())
          peer.send(rest)
          bye(peer)
        }, isWhole: { _ in true }),
      TLSFault(
        name: "renegotiation", versions: [.tls12],
        commit: { peer, _, rest in
          peer.flush(peer.sealedRenegotiation())
          peer.send(rest)
          bye(peer)
        }, isWhole: { _ in nil }),
      TLSFault(
        name: "renegotiation without more", versions: [.tls12],
        commit: { peer, socket, _ in
          peer.flush(peer.sealedRenegotiation())
          socket.finish()
        }, isWhole: { _ in false }),
    ]
  }
#endif
