extension Promise {
  /// Makes a promise, and the resolver that settles it, for work that calls back.
  ///
  /// ```swift
  /// let answer = Promise<Data> { resolver in
  ///   let task = session.dataTask(with: url) { data, _, error in … }
  ///   resolver.onCancel { task.cancel() }
  ///   task.resume()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - fileID: The place that a ``BrokenPromise`` names.
  ///   - line: The line that a ``BrokenPromise`` names.
  ///   - start: Starts the work. It runs at once, once, on the caller's thread; what it throws
  ///     rejects the promise, unless it was resolved before.
  @inlinable
  public convenience init(
    fileID: StaticString = #fileID, line: UInt = #line, _ start: (Resolver) throws -> Void
  ) {
    self.init(origin: .none)
    let resolver = Resolver(self, fileID: fileID, line: line)
    do { try start(resolver) } catch { resolver.reject(error) }
  }

  /// Makes a promise for what an `async` closure returns or throws.
  ///
  /// The closure runs in a task of its own, off the main actor. Cancelling the promise cancels that
  /// task.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task; `nil` for that of the caller.
  ///   - body: The work.
  @inlinable
  public convenience init(
    priority: TaskPriority? = nil, _ body: @escaping @Sendable () async throws -> Value
  ) {
    self.init(origin: .none)
    let task = Task(priority: priority) {
      do { _ = settle(.success(try await body())) } catch { _ = settle(.failure(error)) }
    }
    if locked({ $0.addCancelHook { task.cancel() } }) { task.cancel() }
  }

  /// A pending promise, and the resolver that settles it.
  ///
  /// - Parameters:
  ///   - fileID: The place that a ``BrokenPromise`` names.
  ///   - line: The line that a ``BrokenPromise`` names.
  @inlinable
  public static func pending(
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> (promise: Promise<Value>, resolver: Resolver) {
    let promise = Promise(origin: .none)
    return (promise, Resolver(promise, fileID: fileID, line: line))
  }

  /// A promise that is fulfilled from the start.
  ///
  /// - Parameter value: Its value.
  @inlinable
  public static func fulfilled(_ value: Value) -> Promise<Value> {
    Promise(value: value, failure: nil)
  }

  /// A promise that is rejected from the start.
  ///
  /// - Parameter error: Its error.
  @inlinable
  public static func rejected(_ error: any Error) -> Promise<Value> {
    Promise(value: nil, failure: error)
  }
}

extension Promise where Value == Void {
  /// A promise without a value that is fulfilled from the start.
  @inlinable
  public static func fulfilled() -> Promise<Void> {
    fulfilled(())
  }
}
