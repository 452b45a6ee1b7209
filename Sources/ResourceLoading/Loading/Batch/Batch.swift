import Synchronization

/// Runs the loads of one iteration of `LoadAll`.
final class Batch<R: Sendable>: Sendable {
  private let resources: [Resource<R>]
  private let load: @Sendable (Resource<R>) async throws -> R
  private let state: Mutex<BatchState<R>>

  init(
    _ resources: [Resource<R>], width: Int,
    load: @escaping @Sendable (Resource<R>) async throws -> R
  ) {
    self.resources = resources
    self.load = load
    state = Mutex(BatchState(count: resources.count, width: width))
  }

  /// The next result, or `nil` at the end or after a cancellation.
  func next() async -> LoadAll<R>.Element? {
    act(on: state.withLock { $0.startMore() })
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        act(on: state.withLock { $0.wait(continuation) })
      }
    } onCancel: {
      cancel()
    }
  }

  func cancel() {
    act(on: state.withLock { $0.cancel() })
  }

  private func act(on action: BatchState<R>.Action) {
    for index in action.start { start(index) }
    for task in action.stop { task.cancel() }
    if let (continuation, element) = action.give { continuation.resume(returning: element) }
  }

  private func start(_ index: Int) {
    let task = LoadTask { [self] in
      let result: Result<R, any Error>
      do {
        result = .success(try await load(resources[index]))
      } catch {
        result = .failure(error)
      }
      act(on: state.withLock { $0.finish(index, result) })
    }
    act(on: state.withLock { $0.keep(task, for: index) })
  }
}
