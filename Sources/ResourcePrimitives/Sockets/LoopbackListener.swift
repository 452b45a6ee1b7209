/// A listening socket, and a signal that wakes the thread waiting for connections.
package final class LoopbackListener: Sendable {
  package let port: UInt16
  private let socket: Socket
  private let stop: WakeSignal

  /// Listens on the loopback interface.
  ///
  /// - Parameters:
  ///   - family: The interface.
  ///   - port: The port; 0 for any free one.
  ///   - backlog: The number of connections that may wait to be accepted.
  ///   - receiveBuffer: The size of the kernel's receive buffers; `nil` for the system's default.
  ///   - sendBuffer: The size of the kernel's send buffers; `nil` for the system's default.
  package init(
    _ family: LoopbackFamily, port: UInt16 = 0, backlog: Int, receiveBuffer: Int? = nil,
    sendBuffer: Int? = nil
  ) throws {
    let socket = Socket(try SystemCalls.openSocket(family))
    let descriptor = socket.descriptor
    try SystemCalls.allowAddressReuse(descriptor)
    // Set before listening, because accepted connections inherit the sizes and negotiate the window
    // while connecting.
    if let receiveBuffer {
      try SystemCalls.setReceiveBuffer(descriptor, size: receiveBuffer)
    }
    if let sendBuffer { try SystemCalls.setSendBuffer(descriptor, size: sendBuffer) }
    self.port = try SystemCalls.bindToLoopback(descriptor, family, port: port)
    try SystemCalls.startListening(descriptor, backlog: Int32(clamping: backlog))
    try SystemCalls.setNonBlocking(descriptor)
    stop = try WakeSignal()
    self.socket = socket
  }

  /// Passes every connection to `accepted` until `close()` is called.
  ///
  /// It continues after failures. Without free descriptors it waits briefly and tries again, while
  /// the connection stays in the system's queue.
  package func run(_ accepted: (Socket) -> Void) {
    defer {
      socket.close()
      stop.close()
    }
    while isConnectionWaiting() {
      do {
        accepted(Socket(try SystemCalls.acceptConnection(socket.descriptor)))
      } catch let error as SystemCallError where error.isShortage {
        if isStopped(after: .milliseconds(10)) { return }
      } catch {
        // The client has already disconnected.
      }
    }
  }

  /// Ends `run`. New connections are refused once that has returned.
  package func close() {
    stop.fire()
  }

  private func isConnectionWaiting() -> Bool {
    let ready = try? SystemCalls.waitForFirst(
      [(stop.descriptor, .readable), (socket.descriptor, .readable)], timeout: nil)
    return ready == 1
  }

  private func isStopped(after pause: Duration) -> Bool {
    (try? SystemCalls.waitForFirst([(stop.descriptor, .readable)], timeout: pause)) == 0
  }
}
