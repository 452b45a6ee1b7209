import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import ResourceTracing
import Synchronization

final class Recorded: SpanRecorder {
  private let ended = Mutex<[TraceSpan]>([])
  private let waiting = Mutex<[(count: Int, gate: Gate)]>([])
  private let begun = Mutex<[TraceSpan]>([])

  func begin(_ span: TraceSpan) -> TraceContext? {
    begun.withLock { $0.append(span) }
    return nil
  }

  func end(_ span: TraceSpan) {
    let count = ended.withLock { spans in
      spans.append(span)
      return spans.count
    }
    for (wanted, gate) in waiting.withLock({ $0 }) where count >= wanted { gate.open() }
  }

  /// Waits until this many spans have ended.
  func wait(for count: Int) async throws {
    let gate = Gate()
    waiting.withLock { $0.append((count, gate)) }
    if spans.count >= count { gate.open() }
    try await gate.opened()
  }

  /// In the order in which they ended.
  var spans: [TraceSpan] { ended.withLock { $0 } }
  var beginnings: [TraceSpan] { begun.withLock { $0 } }
  var loads: [TraceSpan] { spans.filter { $0.kind == .load } }
  var exchanges: [TraceSpan] { spans.filter { $0.kind == .exchange } }
}

final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}

enum Form: String, CaseIterable, Sendable {
  case callback
  case promise
  case await

  func load<R>(_ resource: Resource<R>, with loader: some Loader) async throws -> R {
    switch self {
    case .callback:
      try await withCheckedThrowingContinuation { continuation in
        loader.load(resource) { continuation.resume(with: $0) }
      }
    case .promise: try await loader.promise(for: resource).get()
    case .await: try await loader.load(resource)
    }
  }
}
