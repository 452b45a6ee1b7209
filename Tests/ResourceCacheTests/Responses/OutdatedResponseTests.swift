import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import TestSupport
import Testing

/// Which of two responses is the newer one.
@Suite(.inTurn)
struct OutdatedResponseTests {
  typealias Exchange = CacheExchange

  struct Times: Sendable {
    let asked: Int
    let arrived: Int
    var date: Int?

    var stored: StoredResponse {
      Exchange.stored(
        date.map { [.date: Exchange.httpDate($0)] } ?? [:], asked: asked, arrived: arrived)
    }
  }

  /// A stored response, one that arrived after it, and whether the latter is older.
  static let table: [(stored: Times, late: Times, isOutdated: Bool)] = [
    (Times(asked: 10, arrived: 11), Times(asked: 7, arrived: 12), true),
    (Times(asked: 7, arrived: 11), Times(asked: 10, arrived: 12), false),
    (Times(asked: 7, arrived: 11), Times(asked: 7, arrived: 11), false),
    // Dates decide, in both directions, if both have one and they differ.
    (Times(asked: 7, arrived: 11, date: 10), Times(asked: 8, arrived: 12, date: 9), true),
    (Times(asked: 10, arrived: 11, date: 9), Times(asked: 7, arrived: 12, date: 10), false),
    (Times(asked: 10, arrived: 11, date: 9), Times(asked: 7, arrived: 12, date: 9), true),
    (Times(asked: 10, arrived: 11, date: 9), Times(asked: 7, arrived: 12), true),
    // One after the other: the clock of another server is behind.
    (Times(asked: 7, arrived: 11, date: 100), Times(asked: 12, arrived: 13, date: 12), false),
    // The clock was set back by an hour.
    (Times(asked: 3607, arrived: 3611), Times(asked: 12, arrived: 13), false),
  ]

  @Test(arguments: table)
  func `the later of two overlapping requests has the newer response`(
    _ row: (stored: Times, late: Times, isOutdated: Bool)
  ) {
    #expect(row.late.stored.isOutdated(by: row.stored.stored) == row.isOutdated)
  }
}
