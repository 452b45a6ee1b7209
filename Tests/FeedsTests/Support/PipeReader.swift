import Foundation
import Synchronization

/// Reads a pipe or a terminal to its end on a separate thread.
final class PipeReader: Sendable {
  private let data = Mutex(Data())
  private let arrivals: AsyncStream<Void>

  convenience init(_ pipe: Pipe) { self.init(pipe.fileHandleForReading) }

  init(_ handle: FileHandle) {
    let (arrivals, arriving) = AsyncStream.makeStream(of: Void.self)
    self.arrivals = arrivals
    let descriptor = handle.fileDescriptor
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        // After the program ends, reading a terminal fails, while reading a pipe returns nothing.
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        data.withLock { $0.append(contentsOf: buffer[..<count]) }
        arriving.yield()
      }
      arriving.finish()
      withExtendedLifetime(handle) {}
    }
  }

  func wait(for text: String) async {
    for await _ in arrivals where data.withLock({ $0.range(of: Data(text.utf8)) != nil }) { return }
  }

  func all() async -> Data {
    for await _ in arrivals {}
    return data.withLock { $0 }
  }
}
