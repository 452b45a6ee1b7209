import ResourceStore

/// An everyday model.
struct Item: StoredModel, Identifiable, Equatable {
  var id: String
  var title: String
  var score = 0

  /// Items with the ids and scores 1 to a number.
  static func numbered(_ count: Int) -> [Item] {
    (1...count).map { Item(id: "\($0)", title: "title \($0)", score: $0) }
  }
}
