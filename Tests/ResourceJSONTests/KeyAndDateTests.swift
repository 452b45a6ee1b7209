import Foundation
import ResourceJSON
import Testing

struct KeyAndDateTests {
  private struct Keys: Decodable {
    let names: [String: Int]

    init(from decoder: any Decoder) throws {
      let object = try decoder.container(keyedBy: Name.self)
      names = Dictionary(
        uniqueKeysWithValues: try object.allKeys.map {
          ($0.stringValue, try object.decode(Int.self, forKey: $0))
        })
    }
  }

  @Test func `names in snake case turn into what JSONDecoder makes of them`() {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    var random = Seeded(7)
    let parts = [
      "_", "a", "b", "A", "x", "2", "Z", "_", "é", "ß", ".", "-", "id", "ID", "9", "'", "ǆ", " ",
    ]
    for _ in 0..<600 {
      let names = (0..<6).map { _ in
        (0..<Int.random(in: 0...7, using: &random)).map { _ in
          parts.randomElement(using: &random) ?? ""
        }.joined()
      }
      let text = "{" + names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"

      let (ours, foundation) = Outcome.both(Keys.self, Data(text.utf8), decoder) {
        "\($0.names.sorted { $0.key < $1.key })"
      }

      #expect(ours == foundation, "\(text)")
    }
  }

  @Test func `dates in ISO 8601 are what JSONDecoder reads`() {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    var generator = Generator(8)
    for _ in 0..<2_000 {
      let text = "\"\(generator.isoDate())\""

      let (ours, foundation) = Outcome.both(Date.self, Data(text.utf8), decoder) {
        "\($0.timeIntervalSince1970)"
      }

      #expect(ours.agrees(with: foundation), "\(text)")
    }
  }

  @Test(arguments: [3, 64, 65, 1_000])
  func `of members with one name the first counts, in objects of any size`(count: Int) throws {
    let members = (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    let again = (0..<count).map { "\"k\($0)\":\(-$0 - 1)" }.joined(separator: ",")

    let keys = try JSONReader().decode(Keys.self, from: Data("{\(members),\(again)}".utf8))

    #expect(keys.names == Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", $0) }))
  }

  @Test func `of members whose names are the same in other bytes the first counts, too`() throws {
    struct Spelled: Decodable {
      let values: [Int]
      init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Name.self)
        values = try ["\u{E9}", "x", "e\u{301}", "\u{E9}"].map {
          try object.decode(Int.self, forKey: Name(stringValue: $0))
        }
      }
    }
    let text = "{\"\u{E9}\":1,\"x\":2,\"e\u{301}\":3,\"\\u00e9\":4}"

    #expect(try JSONReader().decode(Spelled.self, from: Data(text.utf8)).values == [1, 2, 1, 1])
    #expect(try JSONDecoder().decode(Spelled.self, from: Data(text.utf8)).values == [1, 2, 1, 1])
  }

  @Test func `a date formatter reads dates`() throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "dd.MM.yyyy"
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .formatted(formatter)

    for text in ["[\"05.03.2024\"]", "[\"x\"]", "[1]", "[null]"] {
      let (ours, foundation) = Outcome.both([Date].self, Data(text.utf8), decoder)
      #expect(ours == foundation)
    }
  }
}
