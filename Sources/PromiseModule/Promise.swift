/// A value that arrives once, or the error that came instead.
///
/// A promise is pending until it is fulfilled with a value or rejected with an error; after that it
/// never changes. Handlers that are added before and after see the same outcome, in the order in
/// which they were added, and never inside the call that adds them (``InlineExecutor`` is the one
/// exception).
///
/// ```swift
/// let name = Promise { try await user(42) }
///   .map(\.name)
///   .recover(from: UserNotFound.self) { _ in "nobody" }
/// ```
///
/// A promise can be used from any thread, and kept, shared and handed on freely.
public final class Promise<Value: Sendable>: @unchecked Sendable {
  @usableFromInline let core: Core
  // The two properties that depend on `Value` stand here, so that the core is compiled once for all values. They are why
  // the class is `@unchecked`; the comment of each says what protects it.

  /// Written once, under the core's lock, by the call that settles the promise. Read only by those who
  /// have learned from the core, under its lock or later, that the promise is settled.
  private var box: Box<Value>?
  /// The closure of the first handler if that is an observer's, which needs no memory of its own then.
  /// Touched only under the core's lock.
  private var observer: (@Sendable (Result<Value, any Error>) -> Void)?

  /// Makes a pending promise.
  ///
  /// - Parameter parent: The promise whose first handler is going to feed this one.
  @usableFromInline
  init(waitingFor parent: (any Parent)? = nil) {
    core = Core(waitingFor: parent)
  }

  /// Makes a promise that is fulfilled from the start.
  @usableFromInline
  init(_ box: Box<Value>) {
    core = Core(.fulfilled)
    self.box = box
  }

  /// Makes a promise that is rejected from the start.
  @usableFromInline
  init(_ error: any Error) {
    core = Core(.rejected(error))
  }

  deinit { core.reportUnobserved() }
}

extension Promise {
  convenience init(result: Result<Value, any Error>) {
    switch result {
    case .success(let value): self.init(Box(value))
    case .failure(let error): self.init(error)
    }
  }
}

/// A value of a promise.
///
/// The box costs an allocation, and saves more: without a value of unknown size a promise is made and
/// freed without looking up generic types at run time.
@usableFromInline
final class Box<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
  }
}

extension Promise {
  /// Fulfils from inside a drain: whatever gets ready joins its worklist.
  ///
  /// - Returns: Whether this call settled the promise.
  @usableFromInline
  @discardableResult
  func fulfill(_ box: Box<Value>, _ cause: Cause, _ worklist: inout Worklist) -> Bool {
    core.settle(.fulfilled, cause, of: self, &worklist) { self.box = box }
  }

  /// Fulfils from outside: one hop for all that follows, or none if it is all inline.
  @usableFromInline
  @discardableResult
  func fulfill(_ box: Box<Value>) -> Bool {
    core.settle(.fulfilled, .resolution, of: self) { self.box = box }
  }

  /// Adds an observer if it would be the first handler.
  @usableFromInline
  func observeFirst(
    on executor: (any PromiseExecutor)?,
    _ body: @escaping @Sendable (Result<Value, any Error>) -> Void,
    _ handler: @escaping Handler.Body
  ) -> Bool {
    core.addFirst(Handler(.observer, on: executor, handler)) { observer = body }
  }

  @usableFromInline
  func takeObserver() -> (@Sendable (Result<Value, any Error>) -> Void)? {
    // No `take()`, and no closure as the answer: generic code would wrap it, twice.
    var body: (@Sendable (Result<Value, any Error>) -> Void)?
    core.locked { _ in
      body = observer
      observer = nil
    }
    return body
  }

  @inlinable
  func callObserver() {
    takeObserver()?(settledResult)
  }

  /// The value of a promise that is known to be settled; `nil` if it is rejected.
  @usableFromInline var settledBox: Box<Value>? { box }
}

extension Promise {
  /// The outcome; `nil` while the promise is pending. Asking counts as observing a rejection.
  @inlinable public var result: Result<Value, any Error>? {
    core.observe() == nil ? nil : settledResult
  }
}

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
    self.init()
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
    self.init()
    let task = Task(priority: priority) {
      do { settle(.success(try await body())) } catch { settle(.failure(error)) }
    }
    onCancel { task.cancel() }
  }

  /// Returns a pending promise, and the resolver that settles it.
  ///
  /// - Parameters:
  ///   - fileID: The place that a ``BrokenPromise`` names.
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
    Promise(Box(value))
  }

  /// Returns a promise that is rejected from the start.
  ///
  /// - Parameter error: Its error.
  @inlinable
  public static func rejected(_ error: any Error) -> Promise<Value> {
    Promise(error)
  }
}

extension Promise where Value == Void {
  /// Returns a promise without a value that is fulfilled from the start.
  @inlinable
  public static func fulfilled() -> Promise<Void> {
    fulfilled(())
  }
}
