import Synchronization

/// One connection's descriptor, closed exactly once.
///
/// The connection's own thread reads, writes and closes; any thread may shut it down, which ends
/// whatever that thread is blocked in.
final class Socket: Sendable {
  let descriptor: SystemCalls.Descriptor
  private let isClosed = Mutex(false)

  init(_ descriptor: SystemCalls.Descriptor) {
    self.descriptor = descriptor
  }

  deinit {
    close()
  }

  /// Under the lock, because a number that is closed may already be another connection's.
  func shutDown(_ direction: SystemCalls.ShutdownDirection) {
    isClosed.withLock { if !$0 { SystemCalls.shutDown(descriptor, direction) } }
  }

  func close() {
    isClosed.withLock {
      if !$0 { SystemCalls.closeDescriptor(descriptor) }
      $0 = true
    }
  }

  /// Up to `limit` bytes, at least one; `nil` when the peer has ended its side.
  func receive(atMost limit: Int) throws -> [UInt8]? {
    let bytes = try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = try SystemCalls.receive(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// Writes all of `bytes`, in pieces of at most 64 KiB.
  ///
  /// - Parameter beforeLastPiece: called once, before the bytes that complete the whole are written.
  func send(_ bytes: [UInt8], beforeLastPiece: () -> Void = {}) throws {
    let largestPiece = 65_536
    try bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        if rest.count <= largestPiece { beforeLastPiece() }
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(largestPiece))
        rest = rest.dropFirst(try SystemCalls.write(piece, to: descriptor))
      }
    }
  }
}

/// Something a thread can wait for together with its socket: a pipe that becomes readable for good.
final class WakeSignal: Sendable {
  private let reading: Socket
  private let writing: Socket

  init() throws {
    let ends = try SystemCalls.openPipe()
    reading = Socket(ends.reading)
    writing = Socket(ends.writing)
  }

  /// What to wait for as readable.
  var descriptor: SystemCalls.Descriptor {
    reading.descriptor
  }

  /// Wakes everyone who waits now or later. Closing the writing end is what does it.
  func fire() {
    writing.close()
  }

  /// Gives both descriptors back, when nobody waits any more. Otherwise the last reference does.
  func close() {
    writing.close()
    reading.close()
  }
}
