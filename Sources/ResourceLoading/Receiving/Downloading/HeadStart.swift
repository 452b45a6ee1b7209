import Dispatch
import Synchronization

/// Has the disk begin with a file while the rest of it still comes: in the end there is less to wait for.
final class HeadStart: Sendable {
  private let path: String
  private let queue = DispatchQueue(label: "ResourceLoading.HeadStart")
  private let state = Mutex((written: 0, isUnderWay: false))
  /// How many bytes are worth beginning with.
  private static let stride = 32 << 20

  init(_ path: String) { self.path = path }

  /// Some more was written. Doesn't wait.
  func note(_ count: Int) {
    let isTime = state.withLock { state in
      state.written += count
      guard state.written >= Self.stride, !state.isUnderWay else { return false }
      state = (0, true)
      return true
    }
    guard isTime else { return }
    queue.async { [self] in
      OutputFile.synchronize(path)
      state.withLock { $0.isUnderWay = false }
    }
  }
}
