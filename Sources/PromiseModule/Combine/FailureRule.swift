/// What a bounded map does when the promise of one element is rejected.
public enum FailureRule: Sendable, Hashable {
  /// Starts nothing more, gives up the interest in what is running, and fails with that error.
  case stop
  /// Goes on, and fails in the end with an ``AggregateError`` that keeps every error, in the order of
  /// the elements.
  case collect
}
