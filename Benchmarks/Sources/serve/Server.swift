import Glibc

/// Answers all connections on one thread.
struct Server {
  let port: UInt16
  private let listener: Int32
  private let answers: [String: Answer]

  /// What the system said.
  struct Failure: Error {
    var code = errno
  }

  /// Listens at a free port of the loopback interface.
  init(answers: [String: Answer]) throws {
    self.answers = answers
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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
  func run(until end: Int32) throws {
    var connections: [Connection] = []
    var waiting: [pollfd] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      waiting = [end, listener].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      waiting += connections.map { pollfd(fd: $0.socket, events: $0.interest, revents: 0) }
      guard poll(&waiting, nfds_t(waiting.count), -1) >= 0 else { throw Failure() }
      if waiting[0].revents != 0 { return }
      for index in connections.indices.reversed() where waiting[index + 2].revents != 0 {
        guard !connections[index].advance(answers, buffer) else { continue }
        close(connections[index].socket)
        connections.swapAt(index, connections.endIndex - 1)
        connections.removeLast()
      }
      if waiting[1].revents != 0 { connections.append(Connection(accept(listener, nil, nil))) }
    }
  }
}
