import Glibc

/// A client's connection: requests without bodies in, answers out, one at a time.
struct Connection {
  private let socket: Int32
  /// What came of a request that isn't whole yet.
  private var pending: [UInt8] = []
  /// The answer that is under way, and the number of its bytes that are sent.
  private var answer: Answer?
  private var sent = 0
  /// The messages of a WebSocket; `nil` before the connection is one.
  private var echo: Echo?

  init(_ socket: Int32) {
    self.socket = socket
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Whether the connection waits for room to write, not for a request.
  var isWriting: Bool { answer != nil || echo?.isWriting == true }

  /// Goes on as far as it can without waiting.
  ///
  /// - Returns: Whether the connection is still of use.
  mutating func advance(_ answers: [Answer], _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    if let answer { return write(answer) }
    if echo != nil { return echo?.advance(socket, buffer) == true }
    let count = recv(socket, buffer.baseAddress, buffer.count, 0)
    guard count > 0 else { return count < 0 && errno == EAGAIN }
    let received = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    if pending.isEmpty, Self.isWhole(received) { return respond(to: received, answers) }
    pending += received
    guard pending.withUnsafeBytes(Self.isWhole) else { return true }
    let request = pending
    pending.removeAll()
    return request.withUnsafeBytes { respond(to: $0, answers) }
  }

  private mutating func respond(to request: UnsafeRawBufferPointer, _ answers: [Answer]) -> Bool {
    echo = Echo(request)
    return echo?.write(to: socket) ?? write(Self.answer(to: request, of: answers))
  }

  private mutating func write(_ answer: Answer) -> Bool {
    while sent < answer.count {
      let count = answer.withBytes(from: sent) {
        send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count >= 0 else {
        self.answer = answer
        return errno == EAGAIN
      }
      sent += count
    }
    self.answer = nil
    sent = 0
    return true
  }

  private static func isWhole(_ request: UnsafeRawBufferPointer) -> Bool {
    request.count >= 4 && request.suffix(4).elementsEqual("\r\n\r\n".utf8)
  }

  /// The answer to the path between the request line's spaces, without its query.
  private static func answer(to request: UnsafeRawBufferPointer, of answers: [Answer]) -> Answer {
    guard let space = request.firstIndex(of: UInt8(ascii: " ")) else { return .notFound }
    let target = UnsafeRawBufferPointer(rebasing: request[(space + 1)...])
    return answers.first { answer in
      let count = answer.path.count
      guard target.count > count,
        target[count] == UInt8(ascii: " ") || target[count] == UInt8(ascii: "?")
      else { return false }
      return answer.path.withUnsafeBytes {
        memcmp($0.baseAddress!, target.baseAddress!, count) == 0
      }
    } ?? .notFound
  }
}
