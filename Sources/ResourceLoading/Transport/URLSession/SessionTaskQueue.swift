#if URLSession || !os(Linux)
  import Dispatch

  /// The queue on which tasks of URLSessions are created, resumed and cancelled, one at a time. On
  /// Linux each of these waits for a queue that all sessions of the process share, in the worst case
  /// for seconds.
  ///
  /// This way at most one thread waits, and never that of a caller, which may be one of the few
  /// threads of all Swift tasks, or the one that has to notice that a time limit has passed.
  enum SessionTaskQueue {
    private static let queue = DispatchQueue(label: "ResourceLoading.SessionTaskQueue")

    /// Runs a closure on another thread, after those that were submitted before.
    static func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
  }
#endif
