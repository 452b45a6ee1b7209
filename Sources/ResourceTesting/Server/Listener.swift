/// A listening socket and the way to wake who waits at it.
final class Listener: Sendable {
  let port: UInt16
  private let socket: Socket
  private let stop: WakeSignal

  init(_ configuration: LoopbackServer.Configuration) throws {
    let socket = Socket(try SystemCalls.openSocket(configuration.address))
    let descriptor = socket.descriptor
    try SystemCalls.allowAddressReuse(descriptor)
    // Accepted connections inherit the sizes, and the window is agreed upon while connecting.
    if let size = configuration.receiveBuffer {
      try SystemCalls.setReceiveBuffer(descriptor, size: size)
    }
    if let size = configuration.sendBuffer {
      try SystemCalls.setSendBuffer(descriptor, size: size)
    }
    port = try SystemCalls.bindToLoopback(
      descriptor, configuration.address, port: configuration.port)
    try SystemCalls.listen(descriptor, backlog: Int32(clamping: configuration.backlog))
    try SystemCalls.setNonBlocking(descriptor)
    stop = try WakeSignal()
    self.socket = socket
  }

  /// Hands every connection to `accepted` until `close()` is called.
  ///
  /// No failure ends it: without descriptors it waits a moment and tries again, while the connection
  /// stays in the system's queue.
  func run(_ accepted: (Socket) -> Void) {
    defer {
      socket.close()
      stop.close()
    }
    while isConnectionWaiting() {
      do {
        accepted(Socket(try SystemCalls.acceptConnection(socket.descriptor)))
      } catch let error as LoopbackError where error.isShortage {
        if isStopped(after: .milliseconds(10)) { return }
      } catch {
        // The client has gone away again; the next one is waited for.
      }
    }
  }

  /// Wakes `run` for good; new connections are refused once it has returned.
  func close() {
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
