import Foundation

/// Documents in the shapes of those that JSON parsers are commonly compared by, made here.
enum Documents {
  /// 12 small objects, one kilobyte.
  static let small = Data(
    ("["
      + (0..<12).map { number in
        """
        {"id":\(1_000 + number),"name":"item-\(number)","isActive":\(number % 3 == 0),\
        "score":\(number).5,"tags":["a","b\(number)"]}
        """
      }.joined(separator: ",") + "]").utf8)

  /// Messages with their authors, typed; a third of the bytes isn't ASCII. 600 KB.
  static let messages = Data(("{\"statuses\":[" + list(360, message) + "]}").utf8)

  /// Events of a theatre: dictionaries by number, prices, small numbers, indented. 1.7 MB.
  static let catalog = makeCatalog()

  /// The border of a country: 110,000 doubles of 17 digits. 2.2 MB.
  static let border = makeBorder(points: 55_000)
  static let largeBorder = makeBorder(points: 500_000)

  /// 1,000 issues as a forge sends them: snake case, dates in ISO 8601. 430 KB.
  static let issues = Data(("[" + list(1_000, issue) + "]").utf8)
  static let manyIssues = Data(("[" + list(46_000, issue) + "]").utf8)

  private static func list(_ count: Int, _ element: (Int) -> String) -> String {
    (0..<count).map(element).joined(separator: ",")
  }
}

extension Documents {
  private static func message(_ number: Int) -> String {
    """
    {"created_at":"Sun Aug 31 00:29:\(10 + number % 50) +0000 2014","id":\(505_874_924_095_815_681 + number),\
    "id_str":"\(505_874_924_095_815_681 + number)",\
    "text":"@aym0566x \\n\\n名前:前田あゆみ\\n第一印象:なんか怖っ！\\n今の印象:とりあえずキモい。噛み合わない\\n\
    好きなところ:ぶすでキモいとこ😋✨✨\\n思い出:んーーー、ありすぎ😊❤️ 一緒にご飯を食べて、映画を見て、それから海まで歩いた夏の日のこと。\\n番号 \(number)",\
    "source":"<a href=\\"http://twitter.com/download/iphone\\" rel=\\"nofollow\\">Twitter for iPhone</a>",\
    "truncated":false,"in_reply_to_status_id":null,"in_reply_to_user_id":\(866_260_188 + number),\
    "in_reply_to_screen_name":"aym0566x","user":{"id":\(1_186_275_104 + number),\
    "id_str":"\(1_186_275_104 + number)","name":"AYUMI 🍀 \(number)","screen_name":"ayuu\(number)","location":"東京都",\
    "description":"元野球部マネージャー❤︎…最高の夏をありがとう…❤︎ 写真と猫と珈琲が好きです。","url":null,"protected":false,\
    "followers_count":\(262 + number),"friends_count":252,"listed_count":0,\
    "created_at":"Sat Feb 16 13:40:25 +0000 2013","favourites_count":235,"utc_offset":null,"time_zone":null,\
    "geo_enabled":false,"verified":false,"statuses_count":1769,"lang":"ja","profile_background_color":"C0DEED",\
    "profile_image_url":"http://pbs.twimg.com/profile_images/497760886795153410/LDjAwR_y_normal.jpeg",\
    "profile_use_background_image":true,"default_profile":true},"geo":null,"coordinates":null,\
    "retweet_count":\(number % 7),"favorite_count":0,"entities":{"hashtags":[],"symbols":[],"urls":[],\
    "user_mentions":[{"screen_name":"aym0566x","name":"前田あゆみ","id":866260188,"id_str":"866260188","indices":[0,9]}]},\
    "favorited":false,"retweeted":false,"lang":"ja"}
    """
  }

  private static func issue(_ number: Int) -> String {
    """
    {"id":\(2_000_000 + number),"node_id":"I_kwDOABCDEF5\(number)","number":\(number),"title":"Issue \(number): \
    the thing doesn't work","user":{"login":"user\(number % 97)","user_id":\(number % 97),\
    "avatar_url":"https://avatars.example.com/u/\(number % 97)?v=4","site_admin":false},"labels":[],\
    "state":"open","comments_count":\(number % 13),"created_at":"2024-03-\(10 + number % 19)T10:20:30Z",\
    "updated_at":"2024-04-\(10 + number % 19)T11:21:31Z","closed_at":null,"author_association":"NONE"}
    """
  }

  private static func makeBorder(points: Int) -> Data {
    var random = Numbers()
    let rings = (0..<points / 100).map { _ in
      "["
        + (0..<100).map { _ in
          "[-\(random.coordinate(in: 52...141)),\(random.coordinate(in: 41...83))]"
        }.joined(separator: ",") + "]"
    }
    return Data(
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Canada"},\
      "geometry":{"type":"Polygon","coordinates":[\(rings.joined(separator: ","))]}}]}
      """.utf8)
  }

  private static func makeCatalog() -> Data {
    var random = Numbers()
    let areas = Dictionary(
      uniqueKeysWithValues: (0..<60).map { ("\(205_705_994 + $0 * 7)", "Area \($0) à côté") })
    let events = Dictionary(
      uniqueKeysWithValues: (0..<180).map { number in
        let id = 138_586_341 + number * 13
        return (
          "\(id)",
          Catalog.Event(
            id: id, name: "Concert \(number)", description: nil, logo: "/images/UE0A\(number).jpg",
            subTopicIds: [337_184_269, 337_184_283], subjectCode: nil, subtitle: nil,
            topicIds: [324_846_099, 107_888_604])
        )
      })
    let performances = (0..<395).map { number in
      Catalog.Performance(
        eventId: 138_586_341 + number % 180 * 13, id: 339_887_544 + number, logo: nil, name: nil,
        prices: (0..<4).map {
          Catalog.Price(
            amount: 90_250 - $0 * 1_000, audienceSubCategoryId: 337_100_890,
            seatCategoryId: 338_937_295 + $0)
        },
        seatCategories: (0..<4).map { category in
          Catalog.SeatCategory(
            areas: (0..<7).map { _ in
              Catalog.Area(areaId: 205_705_999 + Int(random.next() % 30), blockIds: [])
            }, seatCategoryId: 338_937_295 + category)
        },
        seatMapImage: nil, start: 1_372_701_600_000 + number * 1_000, venueCode: "PLEYEL_PLEYEL")
    }
    let catalog = Catalog(
      areaNames: areas, audienceSubCategoryNames: ["337100890": "Abonné"], events: events,
      performances: performances)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard let data = try? encoder.encode(catalog) else { preconditionFailure("can't be encoded") }
    return data
  }
}

/// Numbers that are the same in each run.
private struct Numbers: RandomNumberGenerator {
  private var state: UInt64 = 42

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 16
  }

  /// A number with 17 digits.
  mutating func coordinate(in range: ClosedRange<UInt64>) -> String {
    let whole = range.lowerBound + next() % (range.upperBound - range.lowerBound)
    let digits = "\(whole)".count
    let fraction = (0..<17 - digits).map { _ in "\(1 + next() % 9)" }.joined()
    return "\(whole).\(fraction)"
  }
}
