import Foundation

/// What all three keep: the plain types, so that nobody pays for a form that the others don't have.
struct Article: Codable, Sendable, Identifiable {
  var id: Int
  var title: String
  var link: String
  var summary: String?
  var score: Double
  var views: Int
  var isRead: Bool
}

extension Article {
  /// As many as are asked for, with texts as long as those of a feed.
  static func make(_ count: Int) -> [Article] {
    (1...count).map { id in
      Article(
        id: id, title: "The title of article number \(id), about something",
        link: "https://example.org/articles/\(id)",
        summary: id.isMultiple(of: 3) ? nil : "A sentence or two about what is in article \(id).",
        score: Double(id) / 7, views: id &* 31 % 1000, isRead: id.isMultiple(of: 2))
    }
  }
}

/// A database that fails costs less, and makes a row a lie.
func demand<Value>(_ body: () throws -> Value) -> Value {
  do { return try body() } catch { preconditionFailure("a database failed: \(error)") }
}
