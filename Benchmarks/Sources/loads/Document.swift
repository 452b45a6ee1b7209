/// What the server serves.
struct Document: Decodable, Sendable {
  let items: [Item]
  let note: String

  struct Item: Decodable, Sendable {
    let id: Int
    let title: String
    let price: Double
    let tags: [String]
  }
}
