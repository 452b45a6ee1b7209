import Foundation
import ResourceFeeds
import TestSupport
import Testing

@Suite(.inTurn)
struct ItemIdentityTests {
  private let page = URL(known: "https://a.example/1")

  private func identities(_ items: [Feed.Item]) -> [String] {
    Feed(items: items).identifiedItems.map(\.identity.rawValue)
  }

  @Test func `the identity is the id, or otherwise the link`() {
    #expect(identities([Feed.Item(id: "g1", link: page)]) == ["g1"])
    #expect(identities([Feed.Item(title: "One", link: page)]) == ["https://a.example/1"])
  }

  @Test func `of two items with the same id only the first is kept`() {
    let feed = Feed(items: [
      Feed.Item(id: "g1", title: "new"), Feed.Item(id: "g1", title: "old"),
    ])

    #expect(feed.identifiedItems.map(\.item.title) == ["new"])
  }

  @Test func `episodes with the same link have different identities, equal on every reading`() {
    let episodes = ["One", "Two"].map { Feed.Item(title: $0, link: page) }

    let identities = identities(episodes)

    #expect(Set(identities).count == 2)
    #expect(identities.allSatisfy { $0.hasPrefix("digest-") })
    #expect(self.identities(episodes.reversed()) == identities.reversed())
  }

  @Test func `items with nothing but text are distinguished by it`() {
    let items = ["a", "b", "a"].map { Feed.Item(content: Feed.Text(html: $0)) }

    #expect(Set(identities(items)).count == 2)
  }

  @Test(arguments: [
    ("https://a.example/1", true), ("tag:a.example,2026:1", true), ("urn:uuid:1", true),
    ("299", false), ("digest-00", false), ("Episode 3: fog", false), (":x", false), ("C:x", false),
  ])
  func `only a URI identifies the same item in every feed`(_ identity: String, _ isGlobal: Bool) {
    #expect(Feed.ItemIdentity(rawValue: identity).isGlobal == isGlobal)
  }
}
