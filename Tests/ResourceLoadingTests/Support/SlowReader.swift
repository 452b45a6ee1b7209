#if os(Linux)
  import Foundation
  import Glibc

  /// Reads one request slowly, with hardly any buffer of its own, and answers with the number of
  /// bytes in its body.
  final class SlowReader: Sendable {
    let url: URL
    private let listener: Int32

    struct Failure: Error {}

    init(bytesPerSecond: Int) throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var size: Int32 = 64 << 10
      setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
        }
      }
      let port = UInt16(bigEndian: address.sin_port)
      guard isBound, listen(listener, 1) == 0, let url = URL(string: "http://127.0.0.1:\(port)/")
      else { throw Failure() }
      (self.listener, self.url) = (listener, url)
      Thread.detachNewThread {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { return }
        Self.serve(socket, bytesPerSecond)
        close(socket)
      }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    deinit {
      close(listener)
    }

    private static func serve(_ socket: Int32, _ bytesPerSecond: Int) {
      var buffer = [UInt8](repeating: 0, count: bytesPerSecond / 20)
      var head: [UInt8] = []
      var (length, arrived) = (nil as Int?, 0)
      while arrived < length ?? .max {
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return }
        if length == nil {
          head += buffer.prefix(count)
          let text = String(decoding: head, as: UTF8.self)
          guard let end = text.range(of: "\r\n\r\n") else { continue }
          let field = text.range(of: "Content-Length: ")
          length = field.flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
          arrived = text[end.upperBound...].utf8.count
        } else {
          arrived += count
        }
        usleep(50_000)
      }
      let body = "\(arrived)"
      let answer = Array(
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
      _ = send(socket, answer, answer.count, Int32(MSG_NOSIGNAL))
    }
  }
#endif
