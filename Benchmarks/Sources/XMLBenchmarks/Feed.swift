/// What the feed is decoded into, by either decoder.
struct Feed: Decodable {
  var channel: Channel

  struct Channel: Decodable {
    var title: String
    var link: String
    var description: String
    var item: [Item]
  }

  struct Item: Decodable {
    var title: String
    var link: String
    var guid: GUID
    var pubDate: String
    var creator: String?
    var category: [String]
    var description: String
    var encoded: String?

    enum CodingKeys: String, CodingKey {
      case title, link, guid, pubDate, category, description
      case creator = "dc:creator"
      case encoded = "content:encoded"
    }
  }

  struct GUID: Decodable {
    var isPermaLink: Bool?
    var value: String

    enum CodingKeys: String, CodingKey {
      case isPermaLink
      case value = ""
    }
  }
}
