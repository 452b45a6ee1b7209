extension Promise {
  /// The writing end of a promise.
  ///
  /// The first of its methods that resolves wins; the others return `false` and change nothing.
  /// Copies share one state. If the last copy is released before the promise is resolved, the
  /// promise is rejected with a ``BrokenPromise`` that names where it was created, so nothing waits
  /// forever. All methods may be called from any thread.
  public struct Resolver: Sendable {
    @usableFromInline let handle: Handle

    @inlinable
    init(_ promise: Promise<Value>, fileID: StaticString, line: UInt) {
      handle = Handle(promise, fileID: fileID, line: line)
    }
  }

  /// The object that copies of a resolver share; it rejects the promise when the last copy is
  /// freed.
  @usableFromInline
  final class Handle: Sendable {
    @usableFromInline let promise: Promise<Value>
    @usableFromInline let fileID: StaticString
    @usableFromInline let line: UInt

    @inlinable
    init(_ promise: Promise<Value>, fileID: StaticString, line: UInt) {
      self.promise = promise
      self.fileID = fileID
      self.line = line
    }

    deinit {
      guard promise.core.isPending else { return }
      // Settles the core directly, because each use of `Result<Value, any Error>` would look the
      // type up at run time.
      let error = BrokenPromise(fileID: "\(fileID)", line: line)
      promise.core.settle(.rejected(error), .resolution, of: promise)
    }
  }
}

extension Promise.Resolver {
  /// Fulfils the promise.
  ///
  /// - Parameter value: The value to fulfil it with.
  /// - Returns: Whether this call resolved it; `false` if it was already resolved.
  @inlinable
  @discardableResult
  public func fulfill(_ value: Value) -> Bool {
    handle.promise.settle(.success(value))
  }

  /// Rejects the promise.
  ///
  /// - Parameter error: The error to reject it with.
  /// - Returns: Whether this call resolved it; `false` if it was already resolved.
  @inlinable
  @discardableResult
  public func reject(_ error: any Error) -> Bool {
    handle.promise.settle(.failure(error))
  }

  /// Fulfils or rejects the promise.
  ///
  /// - Parameter result: The outcome.
  /// - Returns: Whether this call resolved it; `false` if it was already resolved.
  @inlinable
  @discardableResult
  public func resolve(_ result: Result<Value, any Error>) -> Bool {
    handle.promise.settle(result)
  }

  /// Binds the promise to another one, whose outcome becomes its own.
  ///
  /// From then on nothing else resolves it. Cancelling it gives up its interest in the other one. A
  /// promise that is bound to itself, or to one that follows it, is rejected with
  /// ``SelfResolution``.
  ///
  /// - Parameter other: The promise to follow, settled or not.
  /// - Returns: Whether this call resolved it; `false` if it was already resolved.
  @discardableResult
  public func resolve(with other: Promise<Value>) -> Bool {
    Worklist.run { handle.promise.core.follow(other, by: handle.promise, &$0) }
  }

  /// Calls a closure when the promise is cancelled, to stop the work behind it.
  ///
  /// It is called at most once, on the thread that cancels, with no lock held: at once if the
  /// promise has been cancelled before, never if it is settled in any other way. Several closures
  /// are called in the order in which they were added. Closures that cancel promises whose closures
  /// cancel others are nested 17 deep at most; from there on each is called right after the one
  /// before. A closure that holds the resolver prevents the promise from being rejected as broken;
  /// hold the work instead.
  ///
  /// - Parameter stop: The closure that stops the work.
  public func onCancel(_ stop: @escaping @Sendable () -> Void) {
    handle.promise.core.onCancel { _ in stop() }
  }

  /// Whether the promise is still pending.
  public var isPending: Bool { handle.promise.core.isPending }
}

extension Promise.Resolver where Value == Void {
  /// Fulfils a promise without a value.
  ///
  /// - Returns: Whether this call resolved it; `false` if it was already resolved.
  @inlinable
  @discardableResult
  public func fulfill() -> Bool {
    fulfill(())
  }
}

/// The error of a promise whose resolver was released without resolving it.
///
/// Nothing could settle the promise anymore. The error names the line that created it.
public struct BrokenPromise: Error, Sendable, Hashable {
  /// The module and file in which the promise was created, as `Module/File.swift`.
  public let fileID: String
  /// The line in that file, counted from 1.
  public let line: UInt
}

extension BrokenPromise: CustomStringConvertible {
  /// A message that names the place.
  public var description: String {
    "The promise made at \(fileID):\(line) was dropped by its last resolver without an outcome."
  }
}
