import Foundation

/// What the documents are decoded into, and encoded from.
struct Item: Codable {
  var id: Int
  var name: String
  var isActive: Bool
  var score: Double
  var tags: [String]
}

struct Messages: Codable {
  var statuses: [Message]

  struct Message: Codable {
    var createdAt: String
    var id: Int64
    var idStr: String
    var text: String
    var source: String
    var truncated: Bool
    var inReplyToStatusId: Int64?
    var inReplyToUserId: Int64?
    var inReplyToScreenName: String?
    var user: User
    var retweetCount: Int
    var favoriteCount: Int
    var entities: Entities
    var favorited: Bool
    var retweeted: Bool
    var lang: String

    enum CodingKeys: String, CodingKey {
      case createdAt = "created_at"
      case id
      case idStr = "id_str"
      case text
      case source
      case truncated
      case inReplyToStatusId = "in_reply_to_status_id"
      case inReplyToUserId = "in_reply_to_user_id"
      case inReplyToScreenName = "in_reply_to_screen_name"
      case user
      case retweetCount = "retweet_count"
      case favoriteCount = "favorite_count"
      case entities
      case favorited
      case retweeted
      case lang
    }
  }

  struct User: Codable {
    var id: Int64
    var idStr: String
    var name: String
    var screenName: String
    var location: String
    var description: String
    var url: String?
    var protected: Bool
    var followersCount: Int
    var friendsCount: Int
    var listedCount: Int
    var createdAt: String
    var favouritesCount: Int
    var utcOffset: Int?
    var timeZone: String?
    var geoEnabled: Bool
    var verified: Bool
    var statusesCount: Int
    var lang: String
    var profileBackgroundColor: String
    var profileImageUrl: String
    var profileUseBackgroundImage: Bool
    var defaultProfile: Bool

    enum CodingKeys: String, CodingKey {
      case id
      case idStr = "id_str"
      case name
      case screenName = "screen_name"
      case location
      case description
      case url
      case protected
      case followersCount = "followers_count"
      case friendsCount = "friends_count"
      case listedCount = "listed_count"
      case createdAt = "created_at"
      case favouritesCount = "favourites_count"
      case utcOffset = "utc_offset"
      case timeZone = "time_zone"
      case geoEnabled = "geo_enabled"
      case verified
      case statusesCount = "statuses_count"
      case lang
      case profileBackgroundColor = "profile_background_color"
      case profileImageUrl = "profile_image_url"
      case profileUseBackgroundImage = "profile_use_background_image"
      case defaultProfile = "default_profile"
    }
  }

  struct Entities: Codable {
    var hashtags: [String]
    var urls: [String]
    var userMentions: [Mention]

    enum CodingKeys: String, CodingKey {
      case hashtags
      case urls
      case userMentions = "user_mentions"
    }
  }

  struct Mention: Codable {
    var screenName: String
    var name: String
    var id: Int64
    var idStr: String
    var indices: [Int]

    enum CodingKeys: String, CodingKey {
      case screenName = "screen_name"
      case name
      case id
      case idStr = "id_str"
      case indices
    }
  }
}

struct Catalog: Codable {
  var areaNames: [String: String]
  var audienceSubCategoryNames: [String: String]
  var events: [String: Event]
  var performances: [Performance]

  struct Event: Codable {
    var id: Int
    var name: String
    var description: String?
    var logo: String?
    var subTopicIds: [Int]
    var subjectCode: Int?
    var subtitle: String?
    var topicIds: [Int]
  }

  struct Performance: Codable {
    var eventId: Int
    var id: Int
    var logo: String?
    var name: String?
    var prices: [Price]
    var seatCategories: [SeatCategory]
    var seatMapImage: String?
    var start: Int
    var venueCode: String
  }

  struct Price: Codable {
    var amount: Int
    var audienceSubCategoryId: Int
    var seatCategoryId: Int
  }

  struct SeatCategory: Codable {
    var areas: [Area]
    var seatCategoryId: Int
  }

  struct Area: Codable {
    var areaId: Int
    var blockIds: [Int]
  }
}

struct Border: Codable {
  var type: String
  var features: [Feature]

  struct Feature: Codable {
    var type: String
    var properties: [String: String]
    var geometry: Geometry
  }

  struct Geometry: Codable {
    var type: String
    var coordinates: [[[Double]]]
  }
}

struct Issue: Codable, Sendable {
  var id: Int
  var nodeId: String
  var number: Int
  var title: String
  var user: User
  var labels: [String]
  var state: String
  var commentsCount: Int
  var createdAt: Date
  var updatedAt: Date
  var closedAt: Date?
  var authorAssociation: String

  struct User: Codable, Sendable {
    var login: String
    var userId: Int
    var avatarUrl: String
    var siteAdmin: Bool
  }
}
