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
