import PromiseModule
import ResourceLoading
import Synchronization

/// A load in any form that can be cancelled from outside. It counts its completions.
final class CancellableLoad<R: Sendable>: Sendable {
  private let outcome = Promise<Result<R, any Error>>.pending()
  private let count = Atomic(0)
  private let stop: Mutex<@Sendable () -> Void> = Mutex({})

  private let cancelsItself: Bool

  init(
    _ form: Form, _ resource: Resource<R>, with loader: some Loader, cancelsItself: Bool = false
  ) {
    self.cancelsItself = cancelsItself
    let stop: @Sendable () -> Void
    switch form {
    case .callback:
      let task = loader.load(resource) { self.complete($0) }
      stop = { task.cancel() }
    case .promise:
      let promise = loader.promise(for: resource)
      promise.done(on: .inline) { self.complete(.success($0)) }
        .catch(on: .inline) { self.complete(.failure($0)) }
      stop = { promise.cancel() }
    case .await:
      let task = Task {
        do {
          self.complete(.success(try await loader.load(resource)))
        } catch {
          self.complete(.failure(error))
        }
      }
      stop = { task.cancel() }
    }
    self.stop.withLock { $0 = stop }
  }

  func cancel() { stop.withLock(\.self)() }

  var completions: Int { count.load(ordering: .sequentiallyConsistent) }

  var result: Result<R, any Error> {
    get async {
      do { return try await outcome.promise.get() } catch { return .failure(error) }
    }
  }

  private func complete(_ result: Result<R, any Error>) {
    count.add(1, ordering: .sequentiallyConsistent)
    if cancelsItself { cancel() }
    outcome.resolver.fulfill(result)
  }
}
