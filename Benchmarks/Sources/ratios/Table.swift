import Foundation
import Rows

/// All rows that were run, with every rival.
struct Table {
  let comparisons: [Comparison]

  init(_ results: Results) {
    comparisons = Row.all.flatMap { row in
      row.rivals.compactMap { Comparison(row, with: $0, in: results) }
    }
  }

  var missed: [Comparison] { comparisons.filter(\.isMissed) }

  /// A table in Markdown, a line for each comparison.
  var text: String {
    let head = [
      "| row | by | ours | rival | theirs | ratio | goal |",
      "|---|---|--:|---|--:|--:|--:|",
    ]
    let end = missed.isEmpty ? "All goals are met." : "\(missed.count) goals are missed."
    return (head + comparisons.map(line) + ["", end]).joined(separator: "\n")
  }

  private func line(_ comparison: Comparison) -> String {
    let cells = [
      name(comparison.row), comparison.row.measure.unit, number(comparison.ours),
      comparison.rival.rawValue, number(comparison.theirs),
      String(format: "%.2f", comparison.ratio), goal(comparison),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  private func goal(_ comparison: Comparison) -> String {
    guard let goal = comparison.goal else { return "" }
    return String(format: "≤ %.2f", goal) + (comparison.isMissed ? " missed" : "")
  }

  private func name(_ row: Row) -> String {
    row.ours == .ours ? row.name : "\(row.name): \(row.ours.rawValue)"
  }

  private func number(_ value: Double) -> String {
    String(format: value < 100 ? "%.1f" : "%.0f", value)
  }
}
