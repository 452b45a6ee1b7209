/// How many loads of a batch are done; see ``LoadAll/onProgress(_:)``.
public struct BatchProgress: Sendable, Hashable {
  /// How many have ended, those that failed included.
  public private(set) var completed = 0

  /// How many have failed, or were cancelled.
  public private(set) var failed = 0

  /// How many there are in all.
  public let total: Int

  init(total: Int) { self.total = total }

  /// The part that is done, from 0 to 1.
  public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }

  mutating func count<R>(_ result: Result<R, any Error>) {
    completed += 1
    if case .failure = result { failed += 1 }
  }
}
