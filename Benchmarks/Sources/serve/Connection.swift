import Glibc

/// A client's connection: requests without bodies in, answers out, one at a time.
struct Connection {
  let socket: Int32
  private var request: [UInt8] = []
  private var answer: Answer?
  private var sent = 0

  init(_ socket: Int32) {
    self.socket = socket
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
  }

  /// What to wait for.
  var interest: Int16 { Int16(answer == nil ? POLLIN : POLLOUT) }

  /// Goes on as far as it can without waiting.
  ///
  /// - Returns: Whether the connection is still of use.
  mutating func advance(_ answers: [String: Answer], _ buffer: UnsafeMutableRawBufferPointer)
    -> Bool
  {
    guard answer == nil else { return write() }
    let count = recv(socket, buffer.baseAddress, buffer.count, 0)
    guard count > 0 else { return count < 0 && errno == EAGAIN }
    request.append(contentsOf: buffer[..<count])
    guard request.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return true }
    answer = answers[path] ?? .notFound
    sent = 0
    request.removeAll(keepingCapacity: true)
    return write()
  }

  private mutating func write() -> Bool {
    while let answer, sent < answer.count {
      let count = answer.withBytes(from: sent) {
        send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count >= 0 else { return errno == EAGAIN }
      sent += count
    }
    answer = nil
    return true
  }

  /// Of the request, without its query.
  private var path: String {
    let target = request.drop { $0 != UInt8(ascii: " ") }.dropFirst()
    return String(
      decoding: target.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "?") }, as: UTF8.self)
  }
}
