import Glibc

/// A connection that has switched to WebSocket, and is used by system calls only.
final class PlainSocket: Sendable {
  private let descriptor: Int32

  init(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var (address, on) = (sockaddr_in(), Int32(1))
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(code == 0, "the server can't be reached")
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    write(
      Array(
        "GET /echo HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
          .utf8))
    var (head, byte) = ([UInt8](), UInt8(0))
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), recv(descriptor, &byte, 1, 0) == 1 {
      head.append(byte)
    }
    precondition(head.starts(with: "HTTP/1.1 101 ".utf8), "the server doesn't switch")
  }

  /// Sends messages of 32 bytes, each by a call, and reads what comes back. A frame takes nothing
  /// but a key and 32 changes of a buffer.
  func echo(_ count: Int, inFlight width: Int) {
    var random = SystemRandomNumberGenerator()
    let text = Array(repeatElement("0123456789abcdef".utf8, count: 2).joined())
    var frame: [UInt8] = [0x81, 0x80 | 32] + [UInt8](repeating: 0, count: 36)
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    for start in stride(from: 0, to: count, by: width) {
      let number = min(width, count - start)
      for _ in 0..<number {
        let key = random.next() as UInt32
        for index in 0..<4 { frame[2 + index] = UInt8(truncatingIfNeeded: key >> (8 * index)) }
        for index in 0..<32 { frame[6 + index] = text[index] ^ frame[2 + (index & 3)] }
        write(frame)
      }
      var missing = 34 * number
      while missing > 0 {
        let received = recv(descriptor, &buffer, buffer.count, 0)
        precondition(received > 0, "the server has left")
        missing -= received
      }
    }
  }

  private func write(_ bytes: [UInt8]) {
    precondition(send(descriptor, bytes, bytes.count, 0) == bytes.count, "the server has left")
  }
}
