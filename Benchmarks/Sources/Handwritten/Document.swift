/// What the server serves.
public struct Document: Decodable, Sendable {
  public let items: [Item]
  public let note: String

  public struct Item: Decodable, Sendable {
    public let id: Int
    public let title: String
    public let price: Double
    public let tags: [String]
  }
}
