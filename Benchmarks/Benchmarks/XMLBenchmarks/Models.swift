/// What the feed is decoded into, by either decoder.
struct Feed: Decodable {
  struct Channel: Decodable {
    var title: String
    var link: String
    var description: String
    var item: [Item]
  }

  struct GUID: Decodable {
    var isPermaLink: Bool?
    var value: String

    enum CodingKeys: String, CodingKey {
      case isPermaLink
      case value = ""
    }
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

  var channel: Channel
}

/// What the dense document is decoded into.
struct Table: Decodable {
  struct Row: Decodable {
    var id: Int
    var on: Bool
    var a: Int
    var b: Flag
    var c: String
  }

  struct Flag: Decodable {
    var x: Int
  }

  var row: [Row]
}
