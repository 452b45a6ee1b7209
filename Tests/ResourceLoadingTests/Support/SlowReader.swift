#if os(Linux)
  import Foundation
  import Glibc
  import Testing

  /// Reads one request slowly, with hardly any buffer, and responds with the number of bytes in its
  /// body.
  final class SlowReader: Sendable {
    let url: URL
    private let listener: Int32

    init(bytesPerSecond: Int) throws {
      let local = try LocalSocket(receiveBuffer: 64 << 10)
      listener = local.descriptor
      url = try #require(URL(string: "http://127.0.0.1:\(local.port)/"))
      Thread.detachNewThread { [listener] in
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
