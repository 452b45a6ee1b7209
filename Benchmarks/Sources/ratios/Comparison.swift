import Rows

/// Ours beside one rival in one row.
struct Comparison {
  let row: Row
  let rival: Subject
  let ours: Double
  let theirs: Double
  /// Ours to theirs in the same round, by median: not quite what the medians of the two make.
  let ratio: Double

  /// Reads the figures; `nil` if one of the two wasn't run.
  init?(_ row: Row, with rival: Subject, in results: Results) {
    guard let ours = results.cost(of: row, for: row.ours),
      let theirs = results.cost(of: row, for: rival),
      let ratio = results.ratio(of: row, to: rival)
    else { return nil }
    self.row = row
    self.rival = rival
    self.ours = ours
    self.theirs = theirs
    self.ratio = ratio
  }

  var goal: Double? { row.goals[rival] }

  var isMissed: Bool { goal.map { ratio > $0 } ?? false }
}
