import Foundation
import ResourceStore

/// An everyday model.
struct Item: StoredModel, Identifiable, Equatable {
  var id: String
  var feed: URL?
  var title: String
  var published: Date?
  var isRead = false
  var score = 0

  static let indices = [ModelKey(Item.published)]
}

extension Item {
  static let feed = Column(CodingKeys.feed, \Item.feed)
  static let title = Column(CodingKeys.title, \Item.title)
  static let published = Column(CodingKeys.published, \Item.published)
  static let isRead = Column(CodingKeys.isRead, \Item.isRead)
  static let score = Column(CodingKeys.score, \Item.score)

  /// Items with the ids and scores 1 to a number.
  static func numbered(_ count: Int) -> [Item] {
    (1...count).map { Item(id: "\($0)", title: "title \($0)", score: $0) }
  }
}

/// A model whose key is the number of the row.
struct Entry: StoredModel, Identifiable, Equatable {
  var id: Int
  var text: String
}

struct Note: StoredModel, Equatable {
  var text: String

  static let text = Column(CodingKeys.text, \Note.text)
}
