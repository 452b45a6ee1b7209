extension Promise {
  /// The writing end of a promise, with one owner.
  ///
  /// It does what ``Resolver`` does, and saves its one allocation: that it goes is known at compile
  /// time, so nothing needs to count its copies. Use it where a single owner settles the promise, such
  /// as a connection that keeps one per request; use ``Resolver`` where closures share it.
  ///
  /// ```swift
  /// let resolver = Promise<Int>.UniqueResolver()
  /// let doubled = resolver.promise.map { $0 * 2 }
  /// resolver.fulfill(21)
  /// ```
  public struct UniqueResolver: ~Copyable, Sendable {
    /// The promise that it settles.
    public let promise: Promise<Value>
    @usableFromInline let fileID: StaticString
    @usableFromInline let line: UInt

    /// Makes a pending promise and its resolver.
    ///
    /// - Parameters:
    ///   - fileID: The place that a ``BrokenPromise`` names.
    ///   - line: The line that a ``BrokenPromise`` names.
    @inlinable
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
      promise = Promise(origin: .none)
      self.fileID = fileID
      self.line = line
    }

    @inlinable
    deinit {
      promise.abandon(fileID, line)
    }
  }
}

extension Promise.UniqueResolver {
  /// Fulfils the promise.
  ///
  /// - Parameter value: The value that arrives.
  /// - Returns: Whether this call resolved it; `false` if that had happened before.
  @inlinable
  @discardableResult
  public borrowing func fulfill(_ value: Value) -> Bool {
    promise.settle(.success(value))
  }

  /// Rejects the promise.
  ///
  /// - Parameter error: The error that comes instead of a value.
  /// - Returns: Whether this call resolved it; `false` if that had happened before.
  @inlinable
  @discardableResult
  public borrowing func reject(_ error: any Error) -> Bool {
    promise.settle(.failure(error))
  }

  /// Calls a closure when the promise is cancelled.
  ///
  /// - Parameter stop: What stops the work. ``Promise/Resolver/onCancel(_:)`` says when it is called.
  public borrowing func onCancel(_ stop: @escaping @Sendable () -> Void) {
    if promise.locked({ $0.addCancelHook(stop) }) { stop() }
  }
}
