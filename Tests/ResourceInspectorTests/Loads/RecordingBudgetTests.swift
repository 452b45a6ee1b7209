import Testing

@testable import ResourceInspector

struct RecordingBudgetTests {
  /// Asks for a number of loads at a time, and returns how many are recorded.
  private func take(_ count: Int, from budget: inout RecordingBudget, at time: Duration) -> Int {
    var taken = 0
    for _ in 0..<count where budget.take(at: time) { taken += 1 }
    return taken
  }

  @Test func `a burst of a thousand loads is recorded, or of all that are kept`() {
    var usual = RecordingBudget(kept: 10)
    var large = RecordingBudget(kept: 5_000)

    #expect(take(9_000, from: &usual, at: .zero) == 1_000)
    #expect(take(9_000, from: &large, at: .zero) == 5_000)
  }

  @Test func `of 10,000 loads a second 500 are recorded, evenly`() {
    var budget = RecordingBudget(kept: 1_000)
    _ = take(9_000, from: &budget, at: .zero)

    let shares = (1...20).map {
      take(1_000, from: &budget, at: .milliseconds(100 * $0))
    }

    #expect(shares == Array(repeating: 50, count: 20))
  }

  @Test func `400 loads a second are all recorded, for as long as they come`() {
    var budget = RecordingBudget(kept: 1_000)

    let taken = (0..<40_000).count { budget.take(at: .microseconds(2_500 * $0)) }

    #expect(taken == 40_000)
  }

  @Test func `after a pause a burst is recorded again`() {
    var budget = RecordingBudget(kept: 1_000)
    _ = take(9_000, from: &budget, at: .zero)

    #expect(take(9_000, from: &budget, at: .seconds(5)) == 1_000)
  }
}
