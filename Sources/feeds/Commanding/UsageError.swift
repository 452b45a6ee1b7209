/// A command line that can't be understood.
struct UsageError: Error, Equatable {
  /// What is wrong with it, in a sentence without a full stop.
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

extension UsageError: CustomStringConvertible {
  var description: String { reason }
}
