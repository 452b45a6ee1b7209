import Synchronization

/// The descriptor of a socket, closed exactly once.
///
/// The connection's own thread reads, writes and closes it. Any thread may shut it down, which
/// unblocks that thread.
package final class Socket: Sendable {
  package let descriptor: SystemCalls.Descriptor
  private let isClosed = Mutex(false)

  package init(_ descriptor: SystemCalls.Descriptor) {
    self.descriptor = descriptor
  }

  deinit {
    close()
  }

  /// Shuts the socket down. This happens under the lock, because the number of a closed descriptor
  /// may already have been reused.
  package func shutDown(_ direction: SystemCalls.ShutdownDirection) {
    isClosed.withLock { if !$0 { SystemCalls.shutDown(descriptor, direction) } }
  }

  package func close() {
    isClosed.withLock {
      if !$0 { SystemCalls.closeDescriptor(descriptor) }
      $0 = true
    }
  }

  /// Writes one byte to a pipe, unless it is closed.
  fileprivate func writeByte() {
    isClosed.withLock { if !$0 { SystemCalls.writeByte(toPipe: descriptor) } }
  }

  /// Receives up to `limit` bytes, at least one; `nil` when the peer has ended its side.
  package func receive(atMost limit: Int) throws -> [UInt8]? {
    let bytes = try SystemCalls.receive(descriptor, atMost: limit)
    return bytes.isEmpty ? nil : bytes
  }

  /// Writes all of `bytes`, in pieces of at most 64 KiB, and calls `beforeLastPiece` once.
  package func send(_ bytes: [UInt8], beforeLastPiece: () -> Void = {}) throws {
    let largestPiece = 65_536
    var rest = bytes[...]
    while !rest.isEmpty {
      if rest.count <= largestPiece { beforeLastPiece() }
      rest = rest.dropFirst(
        try SystemCalls.write(rest.prefix(largestPiece), to: descriptor))
    }
  }
}

/// A signal that a thread can wait for together with its socket: a pipe that becomes readable and
/// stays so.
package final class WakeSignal: Sendable {
  private let reading: Socket
  private let writing: Socket

  package init() throws {
    let ends = try SystemCalls.openPipe()
    reading = Socket(ends.reading)
    writing = Socket(ends.writing)
  }

  /// The descriptor that becomes readable.
  package var descriptor: SystemCalls.Descriptor {
    reading.descriptor
  }

  /// Wakes all waiting threads, now and later.
  ///
  /// Closing the writing end isn't enough: a process that another thread started while the pipe was
  /// created may have inherited that end.
  package func fire() {
    writing.writeByte()
    writing.close()
  }

  /// Closes both descriptors. No thread may be waiting.
  package func close() {
    writing.close()
    reading.close()
  }
}
