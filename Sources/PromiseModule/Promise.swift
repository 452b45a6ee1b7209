/// A value that arrives once, or the error that came instead.
///
/// A promise is pending until it is fulfilled with a value or rejected with an error; after that it
/// never changes. Handlers see the same outcome whether they are added before or after, in the
/// order in which they were added, and never inside the call that adds them (``InlineExecutor`` is
/// the one exception).
///
/// ```swift
/// let name = Promise { try await user(42) }
///   .map(\.name)
///   .recover(from: UserNotFound.self) { _ in "nobody" }
/// ```
///
/// A promise can be used from any thread, and kept, shared and handed on freely.
public final class Promise<Value: Sendable>: AnyPromise, Sendable {
  @usableFromInline let core: Core

  /// Creates a pending promise, which the first handler of `parent` is going to feed.
  @usableFromInline
  init(waitingFor parent: (any AnyPromise)? = nil) {
    core = Core(waitingFor: parent)
  }

  @usableFromInline
  init(_ outcome: Outcome) {
    core = Core(outcome)
  }
}

extension Promise {
  /// The outcome; `nil` while the promise is pending. Reading it counts as observing a rejection.
  @inlinable public var result: Result<Value, any Error>? {
    core.observe()?.result()
  }
}

extension Promise {
  /// Creates a promise, and the resolver that settles it, for work that calls back.
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
  ///   - fileID: The file that a ``BrokenPromise`` names.
  ///   - line: The line that a ``BrokenPromise`` names.
  ///   - start: Starts the work. It runs at once, once, on the caller's thread; what it throws
  ///     rejects the promise, unless it was resolved before.
  @inlinable
  public convenience init(
    fileID: StaticString = #fileID, line: UInt = #line, _ start: (Resolver) throws -> Void
  ) {
    self.init()
    let resolver = Resolver(self, fileID: fileID, line: line)
    do { try start(resolver) } catch { resolver.reject(error) }
  }

  /// Creates a promise for what an `async` closure returns or throws.
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
    self.init()
    let task = Task(priority: priority) {
      do { settle(.success(try await body())) } catch { settle(.failure(error)) }
    }
    core.cancelWithIt(task)
  }

  /// Returns a pending promise, and the resolver that settles it.
  ///
  /// - Parameters:
  ///   - fileID: The file that a ``BrokenPromise`` names.
  ///   - line: The line that a ``BrokenPromise`` names.
  @inlinable
  public static func pending(
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> (promise: Promise<Value>, resolver: Resolver) {
    let promise = Promise()
    return (promise, Resolver(promise, fileID: fileID, line: line))
  }

  /// Returns a promise that is fulfilled from the start.
  ///
  /// - Parameter value: Its value.
  @inlinable
  public static func fulfilled(_ value: Value) -> Promise<Value> {
    Promise(.fulfilled(Box(value)))
  }

  /// Returns a promise that is rejected from the start.
  ///
  /// - Parameter error: Its error.
  @inlinable
  public static func rejected(_ error: any Error) -> Promise<Value> {
    Promise(.rejected(error))
  }
}

extension Promise where Value == Void {
  /// Returns a promise without a value that is fulfilled from the start.
  @inlinable
  public static func fulfilled() -> Promise<Void> {
    fulfilled(())
  }
}

extension Promise {
  @inlinable
  @discardableResult
  func settle(_ result: Result<Value, any Error>) -> Bool {
    core.settle(Outcome(result), .resolution, of: self)
  }

  /// Takes over the outcome of the promise that a handler returns, or the error it throws.
  @inlinable
  func adopt(_ worklist: inout Worklist, _ make: () throws -> Promise<Value>) {
    do {
      let other = try make()
      // This promise has been cancelled, so the other one is cancelled unless something else waits
      // for it.
      if !core.follow(other, by: self, &worklist) { other.core.cancelIfUnwanted(other, &worklist) }
    } catch { core.settle(.rejected(error), .parents, of: self, &worklist) }
  }
}
