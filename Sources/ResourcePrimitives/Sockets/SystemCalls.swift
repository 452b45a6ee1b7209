#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system calls of sockets on the loopback interface. No other file that uses such sockets
/// depends on the C library.
///
/// A call that a signal interrupts is repeated. A call that fails throws ``SystemCallError`` with
/// its name and `errno`.
///
/// The expressions marked as unsafe pass the system a pointer and its size for one call. Each
/// pointer is to a value or an array that outlives the call, and the system keeps none.
package enum SystemCalls {
  package typealias Descriptor = Int32

  package static func startListening(_ descriptor: Descriptor, backlog: Int32) throws {
    try retrying("listen") { Int(listen(descriptor, backlog)) }
  }

  package static func openSocket(_ family: LoopbackFamily) throws -> Descriptor {
    let domain = family == .ipv4 ? AF_INET : AF_INET6
    let descriptor = Descriptor(try retrying("socket") { Int(socket(domain, streamType, 0)) })
    return try hardened(descriptor)
  }

  /// Accepts the next connection, set to raise no signal and to be closed in child processes.
  package static func acceptConnection(_ listener: Descriptor) throws -> Descriptor {
    let descriptor = Descriptor(try retrying("accept") { Int(accept(listener, nil, nil)) })
    return try hardened(descriptor)
  }

  package static func openPipe() throws -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    try retrying("pipe") { Int(unsafe pipe(&ends)) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Writes one byte to a pipe whose reading end is open in this process.
  package static func writeByte(toPipe descriptor: Descriptor) {
    _ = try? retrying("write") { writeOneByte(to: descriptor) }
  }

  package static func closeDescriptor(_ descriptor: Descriptor) {
    _ = close(descriptor)
  }

  package static func shutDown(_ descriptor: Descriptor, _ direction: ShutdownDirection) {
    _ = shutdown(descriptor, Int32(direction == .writing ? SHUT_WR : SHUT_RDWR))
  }

  /// Receives up to `limit` bytes; an empty array at the end of what the peer sends.
  package static func receive(_ descriptor: Descriptor, atMost limit: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = try retrying("recv") { unsafe recv(descriptor, &bytes, limit, 0) }
    bytes.removeLast(limit - count)
    return bytes
  }

  /// Writes some of `bytes` and returns how many; never raises SIGPIPE.
  package static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Descriptor) throws -> Int {
    try unsafe bytes.withUnsafeBytes { buffer in
      try retrying("send") {
        unsafe send(descriptor, buffer.baseAddress, buffer.count, sendFlags)
      }
    }
  }
}

extension SystemCalls {
  package enum ShutdownDirection: Sendable {
    case writing, both
  }

  package enum Interest: Sendable {
    /// Bytes or a connection can be read or accepted, or the end has been reached.
    case readable
    /// The peer has closed its side or the connection is broken. Readable bytes are ignored.
    case hangUp
  }

  /// Waits until one of `watched` is ready, and returns its index; `nil` after the timeout.
  package static func waitForFirst(
    _ watched: [(descriptor: Descriptor, interest: Interest)], timeout: Duration?
  ) throws -> Int? {
    let start = ContinuousClock.now
    var polled = watched.map {
      pollfd(fd: $0.descriptor, events: events(for: $0.interest), revents: 0)
    }
    while true {
      let left = timeout.map { $0 - (ContinuousClock.now - start) }
      let ready = unsafe poll(&polled, nfds_t(polled.count), milliseconds(left))
      if ready < 0, errno != EINTR { throw failure("poll", errno) }
      if ready > 0, let index = firstReady(&polled, watched.map(\.interest)) { return index }
      if let left, left <= .zero { return nil }
    }
  }

  private static func firstReady(_ polled: inout [pollfd], _ interests: [Interest]) -> Int? {
    for index in polled.indices where polled[index].revents != 0 {
      guard interests[index] == .hangUp, !hasHungUp(polled[index]) else { return index }
      // Unread bytes are available, and the system can't report an end after them, so it is no
      // longer watched.
      polled[index].events = 0
      polled[index].revents = 0
    }
    return nil
  }

  /// Returns whole milliseconds for `poll`, rounded up, so that it never returns early.
  private static func milliseconds(_ timeout: Duration?) -> Int32 {
    guard let timeout else { return -1 }
    let (seconds, attoseconds) = min(max(timeout, .zero), .seconds(1_000_000)).components
    let rounded = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(seconds * 1000 + rounded)
  }
}

extension SystemCalls {
  /// Binds to the loopback interface at `port` (0 for any free one) and returns the port.
  package static func bindToLoopback(
    _ descriptor: Descriptor, _ family: LoopbackFamily, port: UInt16
  ) throws -> UInt16 {
    switch family {
    case .ipv4:
      var address = ipv4Address(port)
      try bindAndName(descriptor, &address)
      return UInt16(bigEndian: address.sin_port)
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      try bindAndName(descriptor, &address)
      return UInt16(bigEndian: address.sin6_port)
    }
  }

  /// Starts to connect a non-blocking socket to `port` at 127.0.0.1, without waiting for the
  /// result.
  package static func beginConnecting(_ descriptor: Descriptor, port: UInt16) throws {
    var address = ipv4Address(port)
    // A `sockaddr_in` begins like a `sockaddr`, and the system tells them apart by the family.
    try unsafe withUnsafeBytes(of: &address) { bytes in
      let pointer = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      let result = unsafe connect(descriptor, pointer, socklen_t(bytes.count))
      if result < 0, errno != EINPROGRESS { throw failure("connect", errno) }
    }
  }

  private static func ipv4Address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func bindAndName<Address>(
    _ descriptor: Descriptor, _ address: inout Address
  ) throws {
    // As above. The system writes a name of the same family and size.
    try unsafe withUnsafeMutableBytes(of: &address) { bytes in
      var length = socklen_t(bytes.count)
      let pointer = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      try retrying("bind") { Int(unsafe bind(descriptor, pointer, length)) }
      try retrying("getsockname") { Int(unsafe getsockname(descriptor, pointer, &length)) }
    }
  }

  package static func setReceiveBuffer(_ descriptor: Descriptor, size: Int) throws {
    try setOption(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: size), "SO_RCVBUF")
  }

  package static func setSendBuffer(_ descriptor: Descriptor, size: Int) throws {
    try setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(clamping: size), "SO_SNDBUF")
  }

  package static func allowAddressReuse(_ descriptor: Descriptor) throws {
    try setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1), "SO_REUSEADDR")
  }

  /// Sends a reset on closing instead of an orderly end.
  package static func resetOnClose(_ descriptor: Descriptor) throws {
    try setOption(
      descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0), "SO_LINGER")
  }

  package static func setNonBlocking(_ descriptor: Descriptor) throws {
    try retrying("fcntl") { Int(fcntl(descriptor, F_SETFL, O_NONBLOCK)) }
  }

  private static func setOption<Value: BitwiseCopyable>(
    _ descriptor: Descriptor, _ level: Int32, _ option: Int32, _ value: Value, _ name: String
  ) throws {
    _ = try unsafe withUnsafeBytes(of: value) { bytes in
      try retrying("setsockopt \(name)") {
        Int(unsafe setsockopt(descriptor, level, option, bytes.baseAddress, socklen_t(bytes.count)))
      }
    }
  }
}

extension SystemCalls {
  #if canImport(Darwin)
    private static let streamType = SOCK_STREAM
    private static let sendFlags: Int32 = 0
  #elseif canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    private static let sendFlags = Int32(MSG_NOSIGNAL)
  #elseif canImport(Musl)
    private static let streamType = SOCK_STREAM | SOCK_CLOEXEC
    private static let sendFlags = MSG_NOSIGNAL
  #endif

  /// Disables SIGPIPE, inheritance by child processes, and the delay of small writes.
  private static func hardened(_ descriptor: Descriptor) throws -> Descriptor {
    do {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      #if canImport(Darwin)
        _ = fcntl(descriptor, F_SETFL, 0)  // a connection inherits the listener's non-blocking mode
        try setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, Int32(1), "SO_NOSIGPIPE")
      #endif
      try setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1), "TCP_NODELAY")
      return descriptor
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
  }

  private static func events(for interest: Interest) -> Int16 {
    #if canImport(Darwin)
      return Int16(POLLIN)
    #else
      // POLLRDHUP (Linux 2.6.17), which the C headers hide without _GNU_SOURCE.
      return interest == .readable ? Int16(POLLIN) : 0x2000
    #endif
  }

  private static func hasHungUp(_ polled: pollfd) -> Bool {
    #if canImport(Darwin)
      if polled.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return true }
      var byte: UInt8 = 0
      return unsafe recv(polled.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0
    #else
      return true
    #endif
  }

  @discardableResult
  private static func retrying(_ name: String, _ call: () -> Int) throws -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      if errno != EINTR { throw failure(name, errno) }
    }
  }

  private static func failure(_ name: String, _ code: Int32) -> SystemCallError {
    // The system's text, copied before another call can change it.
    SystemCallError(call: name, code: code, reason: unsafe String(cString: strerror(code)))
  }
}

extension SystemCallError {
  /// Whether the process or the system has temporarily run out of descriptors or buffers.
  package var isShortage: Bool {
    switch code {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: true
    default: false
    }
  }
}

/// Writes a byte. Within the type, `write` would be the method.
private func writeOneByte(to descriptor: SystemCalls.Descriptor) -> Int {
  var byte: UInt8 = 1
  return unsafe write(descriptor, &byte, 1)
}
