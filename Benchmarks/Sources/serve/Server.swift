import CEpoll
import Glibc

/// Answers all connections on one thread.
///
/// A request costs one `recv` and one `send`; the wait for many is one `epoll_wait`, and nothing is
/// allocated, so that clients are what a benchmark measures.
struct Server {
  let port: UInt16
  private let listener: Int32
  private let answers: [Answer]

  /// An error of the system.
  struct Failure: Error {
    var code = errno
  }

  /// Listens at a free port of the loopback interface.
  ///
  /// - Throws: ``Failure`` when the socket can't be bound.
  init(answers: [Answer]) throws {
    self.answers = answers
    let listener = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard bind(listener, pointer, size) == 0, listen(listener, 4_096) == 0 else { return -1 }
        return Int(getsockname(listener, pointer, &size))
      }
    }
    guard code == 0 else { throw Failure() }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Serves until a descriptor becomes readable or is closed.
  ///
  /// - Throws: ``Failure`` when the system can't wait for events.
  func run(until end: Int32) throws {
    let poller = epoll_create1(0)
    guard poller >= 0 else { throw Failure() }
    defer { close(poller) }
    var connections: [Int32: Connection] = [:]
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    for descriptor in [end, listener] { watch(descriptor, with: poller, EPOLL_CTL_ADD) }
    while true {
      let count = epoll_wait(poller, &events, Int32(events.count), -1)
      guard count >= 0 || errno == EINTR else { throw Failure() }
      for event in events.prefix(Int(max(count, 0))) {
        let descriptor = event.data.fd
        if descriptor == end { return }
        if descriptor == listener {
          accept(into: &connections, with: poller)
        } else {
          advance(descriptor, &connections[descriptor], poller, buffer)
        }
      }
    }
  }

  private func accept(into connections: inout [Int32: Connection], with poller: Int32) {
    while true {
      let socket = Glibc.accept(listener, nil, nil)
      guard socket >= 0 else { return }
      _ = fcntl(socket, F_SETFL, O_NONBLOCK)
      connections[socket] = Connection(socket)
      watch(socket, with: poller, EPOLL_CTL_ADD)
    }
  }

  private func advance(
    _ descriptor: Int32, _ connection: inout Connection?, _ poller: Int32,
    _ buffer: UnsafeMutableRawBufferPointer
  ) {
    let wasWriting = connection?.isWriting == true
    guard connection?.advance(answers, buffer) == true else {
      connection = nil
      close(descriptor)
      return
    }
    guard let isWriting = connection?.isWriting, isWriting != wasWriting else { return }
    watch(descriptor, with: poller, EPOLL_CTL_MOD, for: isWriting ? EPOLLOUT : EPOLLIN)
  }

  private func watch(
    _ descriptor: Int32, with poller: Int32, _ operation: Int32, for event: EPOLL_EVENTS = EPOLLIN
  ) {
    var interest = epoll_event(events: event.rawValue, data: epoll_data_t(fd: descriptor))
    epoll_ctl(poller, operation, descriptor, &interest)
  }
}
