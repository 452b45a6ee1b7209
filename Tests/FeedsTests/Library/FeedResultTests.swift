import Foundation
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct FeedResultTests {
  @Test(arguments: [
    (0, 0, false, "Nothing new."), (0, 2, false, "Nothing new, 2 changed."),
    (1, 0, true, "1 new item:"), (3, 1, true, "3 new items, 1 changed:"),
    (3, 0, false, "3 new items, none of them among those asked for."),
  ])
  func `a line summarises the changes`(
    _ new: Int, _ changed: Int, _ isListed: Bool, _ text: String
  ) {
    let results = [
      FeedResult(
        feed: .new("https://a.example/"), change: .init(new: new, changed: changed)),
      FeedResult(feed: .new("https://b.example/")),
    ]

    #expect(results.changes(areListed: isListed) == text)
  }
}
