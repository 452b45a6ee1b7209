import Foundation
import Rows

/// One row, done by everybody in turn.
struct Rounds {
  private let row: Row
  private let contenders: [Contender]
  /// Who is compared with whom.
  private let pairs: [Figure]

  init(_ row: Row, _ contenders: [Contender]) {
    self.row = row
    self.contenders = contenders
    let present = Set(contenders.map(\.subject))
    pairs = Row.all.filter { $0.name == row.name }.flatMap { line in
      line.rivals.filter(present.contains).map {
        .ratio(of: line.ours, to: $0, by: line.measure)
      }
    }
  }

  /// Does as many rounds as there is time for.
  ///
  /// - Returns: The median of each figure, by name.
  func medians() -> [String: Double] {
    row.isOnOneCore ? Cores.narrowed(measuredMedians) : measuredMedians()
  }

  private func measuredMedians() -> [String: Double] {
    for number in 0..<(row.measure.isCounted ? 1 : 2) { _ = round(number) }
    var values: [Figure: [Double]] = [:]
    let end = ContinuousClock.now + time
    for number in 0..<(row.measure.isCounted ? 3 : 2_000) {
      guard number < 3 || ContinuousClock.now < end else { break }
      for (figure, value) in round(number) { values[figure, default: []].append(value) }
    }
    return Dictionary(uniqueKeysWithValues: values.map { ($0.name, $1.sorted()[$1.count / 2]) })
  }

  /// Everybody once; somebody else begins each time, since whoever comes after another finds that
  /// one's caches.
  private func round(_ number: Int) -> [Figure: Double] {
    let first = number % contenders.count
    var figures: [Figure: Double] = [:]
    for contender in contenders[first...] + contenders[..<first] {
      for (measure, cost) in contender.run() {
        figures[.cost(to: contender.subject, by: measure)] = Double(cost)
      }
    }
    for pair in pairs { figures[pair] = pair.ratio(in: figures) }
    return figures
  }

  /// Long enough for a stable median; in a quick run just long enough to see a row that went wrong.
  private var time: Duration {
    let each: Double =
      switch row.measure {
      case .tail: Self.isQuick ? 2 : 10
      default: Self.isQuick ? 0.3 : 3
      }
    return .seconds(each * Double(contenders.count))
  }

  private static let isQuick = ProcessInfo.processInfo.environment["BENCHMARK_QUICK"] != nil
}
