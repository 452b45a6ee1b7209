import ResourceTesting
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A client that doesn't know HTTP. It sends the given bytes and returns those that it receives.
///
/// Calls block for at most thirty seconds by default.
final class RawClient: Sendable {
  struct Failure: Error {
    let call: String
    let code: Int32

    var isReset: Bool { code == ECONNRESET }
    var isRefused: Bool { code == ECONNREFUSED }
    var isTimeout: Bool { code == EAGAIN }
    var isStillConnecting: Bool { code == EINPROGRESS }
  }

  private let descriptor: Int32
  private let isClosed = Mutex(false)

  convenience init(to server: LoopbackServer, willConnect: () -> Void = {}) throws {
    try self.init(
      port: UInt16(server.port), isIPv6: server.host.contains(":"), willConnect: willConnect)
  }

  /// - Parameter willConnect: Called when there is a socket.
  init(
    port: UInt16, isIPv6: Bool = false, timeout limit: Duration = .seconds(30),
    willConnect: () -> Void = {}
  ) throws {
    // A process of an exit test would keep the connection open if it inherited the descriptor.
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #elseif canImport(Musl)
      let type = SOCK_STREAM | SOCK_CLOEXEC
    #else
      let type = SOCK_STREAM
    #endif
    descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    setTimeout(limit)
    willConnect()
    if isIPv6 { try connectIPv6(port) } else { try connectIPv4(port) }
  }

  deinit {
    close()
  }

  /// Sets how long each call may block.
  func setTimeout(_ limit: Duration) {
    var timeout = timeval()
    timeout.tv_sec = .init(limit.components.seconds)
    timeout.tv_usec = .init(limit.components.attoseconds / 1_000_000_000_000)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
  }

  private func connectIPv4(_ port: UInt16) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try connect(&address)
  }

  private func connectIPv6(_ port: UInt16) throws {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    try connect(&address)
  }

  private func connect<Address>(_ address: inout Address) throws {
    let result = withUnsafeBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      #if canImport(Darwin)
        return Darwin.connect(descriptor, pointer, socklen_t(bytes.count))
      #elseif canImport(Glibc)
        return Glibc.connect(descriptor, pointer, socklen_t(bytes.count))
      #elseif canImport(Musl)
        return Musl.connect(descriptor, pointer, socklen_t(bytes.count))
      #endif
    }
    if result < 0 { throw Failure(call: "connect", code: errno) }
  }
}

extension RawClient {
  func send(_ text: String) throws {
    try send(Array(text.utf8))
  }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count { sent += try sendSome(Array(bytes[sent...])) }
  }

  private func sendSome(_ bytes: [UInt8]) throws -> Int {
    #if canImport(Darwin)
      let count = Darwin.send(descriptor, bytes, bytes.count, 0)
    #elseif canImport(Glibc)
      let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    #elseif canImport(Musl)
      let count = Musl.send(descriptor, bytes, bytes.count, MSG_NOSIGNAL)
    #endif
    if count < 0 { throw Failure(call: "send", code: errno) }
    return count
  }

  /// Sends until the buffers are full, and returns the number of bytes sent.
  func sendUntilFull() throws -> Int {
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    defer { _ = fcntl(descriptor, F_SETFL, 0) }
    let piece = [UInt8](repeating: 120, count: 65_536)
    var total = 0
    while true {
      do {
        total += try sendSome(piece)
      } catch let failure as Failure where failure.code == EAGAIN {
        return total
      }
    }
  }

  /// Receives at least one byte; returns an empty array at the end.
  func receiveSome() throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0 { throw Failure(call: "recv", code: errno) }
    return Array(buffer.prefix(count))
  }

  /// Receives everything up to and including `mark`, or up to the end.
  func receive(through mark: String) throws -> String {
    var text = ""
    while !text.contains(mark) {
      let some = try receiveSome()
      if some.isEmpty { break }
      text += String(decoding: some, as: UTF8.self)
    }
    return text
  }

  func receiveToEnd() throws -> String {
    var bytes: [UInt8] = []
    while case let some = try receiveSome(), !some.isEmpty { bytes += some }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Ends both sides and unblocks other threads.
  func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  func halfClose() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
    close()
  }

  func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    if descriptor < 0 || wasClosed { return }
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #elseif canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #endif
  }
}

extension RawClient {
  /// Sends one request on its own connection, and returns everything it receives.
  static func exchange(_ server: LoopbackServer, _ request: String) throws -> String {
    let client = try RawClient(to: server)
    try client.send(request)
    client.halfClose()
    return try client.receiveToEnd()
  }
}
