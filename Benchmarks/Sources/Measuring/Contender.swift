import Rows

/// Somebody who does the work of a row whenever it is their turn.
struct Contender: Sendable {
  let subject: Subject
  /// Does the work once, and tells what that cost.
  let run: @Sendable () -> [Measure: Int]
}
