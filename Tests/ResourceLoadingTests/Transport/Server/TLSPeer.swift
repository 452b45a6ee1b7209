#if Curl && os(Linux)
  import Glibc

  /// One end of a connection, with blocking calls.
  protocol ByteChannel {
    /// Returns what has arrived, at least a byte; `nil` at the end.
    func receive() -> [UInt8]?
    func send(_ bytes: [UInt8])
  }

  /// A connected socket, which is closed with its last reference.
  final class ServerSocket: ByteChannel {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit {
      close(descriptor)
    }

    func receive() -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 32 << 10)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    func send(_ bytes: [UInt8]) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent > 0 else { return }
        rest = rest.dropFirst(sent)
      }
    }

    /// Ends this side. The other side reads the end of the connection after the sent bytes.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the other side read an error instead of its unread bytes.
    func reset() {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
      shutdown(descriptor, Int32(SHUT_RD))
    }
  }

  /// The server's end of a TLS connection. It controls records: each call of `seal` creates one.
  final class TLSPeer: ByteChannel {
    private let library: OpenSSL
    private let session: OpenSSL.Pointer
    private let input: OpenSSL.Pointer?
    private let output: OpenSSL.Pointer?
    private let channel: any ByteChannel

    /// Performs the handshake; `nil` if it fails.
    init?(_ identity: TLSIdentity, over channel: any ByteChannel) {
      guard let library = OpenSSL.shared, let context = identity.makeContext(library) else {
        return nil
      }
      // The session keeps it.
      defer { library.freeContext(context) }
      guard let session = library.new(context) else { return nil }
      self.library = library
      self.session = session
      self.channel = channel
      input = library.newBuffer(library.memoryMethod())
      output = library.newBuffer(library.memoryMethod())
      library.setBuffers(session, input, output)
      library.accept(session)
      guard complete({ library.shakeHands(session) }) == 1 else { return nil }
    }

    deinit {
      library.free(session)
    }

    func receive() -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 32 << 10)
      let count = complete { library.read(session, &buffer, Int32(buffer.count)) }
      return count > 0 ? Array(buffer.prefix(Int(count))) : nil
    }

    func send(_ bytes: [UInt8]) { channel.send(seal(bytes)) }

    /// Sends complete or incomplete records.
    func flush(_ sealed: [UInt8]) { channel.send(sealed) }

    /// Returns the records for some bytes: one for up to 16 KiB.
    func seal(_ bytes: [UInt8]) -> [UInt8] {
      _ = library.write(session, bytes, Int32(bytes.count))
      return drain()
    }

    /// Returns the alert `close_notify`.
    func sealedGoodbye() -> [UInt8] {
      _ = library.shutDown(session)
      return drain()
    }

    /// Returns the fatal alert for a record that can't be decrypted.
    func sealedFatalAlert() -> [UInt8] {
      let record: [UInt8] = [23, 3, 3, 0, 32] + [UInt8](repeating: 7, count: 32)
      _ = library.writeBuffer(input, record, Int32(record.count))
      var byte = [UInt8](repeating: 0, count: 1)
      _ = library.read(session, &byte, 1)
      return drain()
    }

    /// Returns a request of TLS 1.2 to negotiate again.
    func sealedRenegotiation() -> [UInt8] {
      _ = library.renegotiate(session)
      _ = library.shakeHands(session)
      return drain()
    }

    /// Returns a message of TLS 1.3 that changes the keys.
    func sealedKeyUpdate() -> [UInt8] {
      _ = library.updateKey(session, 0)
      _ = library.shakeHands(session)
      return drain()
    }

    /// Returns a session ticket of TLS 1.3.
    func sealedTicket() -> [UInt8] {
      _ = library.newTicket(session)
      _ = library.shakeHands(session)
      return drain()
    }

    /// Repeats an operation until it needs nothing more from the other side.
    private func complete(_ operation: () -> Int32) -> Int32 {
      while true {
        let result = operation()
        let sealed = drain()
        if !sealed.isEmpty { channel.send(sealed) }
        let wantsMore: Int32 = 2
        guard result <= 0, library.error(session, result) == wantsMore,
          let bytes = channel.receive()
        else { return result }
        _ = library.writeBuffer(input, bytes, Int32(bytes.count))
      }
    }

    private func drain() -> [UInt8] {
      var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 32 << 10))
      while case let count = library.readBuffer(output, &buffer, Int32(buffer.count)), count > 0 {
        all += buffer.prefix(Int(count))
      }
      return all
    }
  }
#endif
