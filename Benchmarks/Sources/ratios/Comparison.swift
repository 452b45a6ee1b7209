import Rows

/// Ours beside one rival in one row.
struct Comparison {
  let row: Row
  let rival: Subject
  let ours: Double
  let theirs: Double
  let measure: Measure

  /// Reads both figures; `nil` if one of the two wasn't run.
  init?(_ row: Row, with rival: Subject, by measure: Measure, in results: Results) {
    guard let ours = results.cost(of: row, for: row.ours, by: measure),
      let theirs = results.cost(of: row, for: rival, by: measure), theirs > 0
    else { return nil }
    self.row = row
    self.rival = rival
    self.ours = ours
    self.theirs = theirs
    self.measure = measure
  }

  var ratio: Double { ours / theirs }

  var goal: Double? { row.goals[rival] }

  var isMissed: Bool { goal.map { ratio > $0 } ?? false }
}
