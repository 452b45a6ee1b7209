import Foundation
import ResourceJSON
import Synchronization
import Testing

struct KeyStrategyTests {
  /// A strategy that records the paths it is called with, and removes a prefix of names.
  private final class Recorder: Sendable {
    private let recorded = Mutex<[String]>([])

    var paths: [String] { recorded.withLock { $0 } }

    var decoder: JSONDecoder {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .custom { path in
        self.recorded.withLock { $0.append(show(path)) }
        let name = path.last?.stringValue ?? ""
        return Name(stringValue: name.hasPrefix("x-") ? String(name.dropFirst(2)) : name)
      }
      return decoder
    }
  }

  private static func show(_ path: [any CodingKey]) -> String {
    path.map { "\($0.stringValue)/\($0.intValue.map(String.init) ?? "-")" }.joined(separator: ".")
  }

  /// A type with members in every kind of container.
  private struct Node: Decodable, CustomStringConvertible {
    var id: Int?
    var child: [Node]?
    var named: [String: Node]?
    var numbered: [Int: Node]?

    /// The same text for equal values: a dictionary has no order of its own.
    var description: String {
      let named = (named ?? [:]).sorted { $0.key < $1.key }.map { "\($0): \($1)" }
      let numbered = (numbered ?? [:]).sorted { $0.key < $1.key }.map { "\($0): \($1)" }
      return "(\(id ?? 0) \(child ?? []) \(named) \(numbered))"
    }
  }

  /// A type that asks for its members in unusual ways.
  private struct Odd: Decodable {
    let names: [String]

    private enum Keys: String, CodingKey { case a, b, c, list }

    init(from decoder: any Decoder) throws {
      let first = try decoder.container(keyedBy: Keys.self)
      let second = try decoder.container(keyedBy: Name.self)
      let nested = try first.nestedContainer(keyedBy: Keys.self, forKey: .a)
      let other = try first.superDecoder(forKey: .b).container(keyedBy: Name.self)
      var list = try first.nestedUnkeyedContainer(forKey: .list)
      let element = try list.nestedContainer(keyedBy: Keys.self)
      _ = try list.superDecoder().container(keyedBy: Keys.self)
      names =
        [nested.codingPath, other.codingPath, element.codingPath].map(show)
        + second.allKeys.map(\.stringValue).sorted() + [first.contains(.c).description]
    }
  }

  private func compare<Value: Decodable>(_ type: Value.Type, _ text: String) -> (
    ours: [String], foundation: [String]
  ) {
    let (ours, foundation) = (Recorder(), Recorder())
    let values = (
      Outcome { "\(try JSONReader(ours.decoder).decode(type, from: Data(text.utf8)))" },
      Outcome { "\(try foundation.decoder.decode(type, from: Data(text.utf8)))" }
    )
    #expect(values.0 == values.1)
    return (ours.paths, foundation.paths)
  }

  @Test func `a strategy is called once for each name, whatever the depth`() {
    let depth = 22
    let text = (0..<depth).reduce(#"{"id":1}"#) { text, _ in #"{"x-child":["# + text + "]}" }

    let (ours, foundation) = compare(Node.self, text)

    #expect(ours.count == depth + 1)
    #expect(ours == foundation)
  }

  @Test(arguments: [
    #"{"x-id":1,"child":[{"id":2},{"x-named":{"x-a":{"id":3,"child":[]},"7":{"x-id":4}}}]}"#,
    #"{"numbered":{"12":{"x-id":1,"child":[{"id":1,"id":2,"x-id":3}]}},"id":5,"other":{"not":"read"}}"#,
    #"{"child":[{"id":1},{"id":2},{"id":"wrong"}]}"#, #"{"x-named":{"12":{"x-id":"wrong"}}}"#,
  ])
  func `a strategy is called with the same paths as that of JSONDecoder`(text: String) {
    let (ours, foundation) = compare(Node.self, text)

    #expect(ours.sorted() == foundation.sorted())
  }

  @Test func `a strategy is called with the same paths by every kind of container`() {
    let (ours, foundation) = compare(
      [String: Odd].self,
      #"{"k":{"x-a":{"p":1},"b":{"q":{"r":2}},"x-list":[{"s":3},{"t":4}],"x-list":1,"u":{"v":{}}}}"#
    )

    #expect(ours == foundation)
  }

  @Test(arguments: [1, 8, 9, 200])
  func `of members that a strategy gives one name the first counts, in objects of any size`(
    count: Int
  ) {
    struct Values: Decodable {
      let values: [Int]
      init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Name.self)
        values = try object.allKeys.sorted { $0.stringValue < $1.stringValue }
          .map { try object.decode(Int.self, forKey: $0) }
      }
    }
    let members = (0..<count).map { "\"x-k\($0)\":\($0),\"k\($0)\":-1" }.joined(separator: ",")

    let (ours, foundation) = compare(Values.self, "{\(members)}")

    #expect(ours == foundation)
    #expect(ours.count == 2 * count)
  }

  @Test func `an error of the type itself is found with the paths that the strategy knows`() throws
  {
    struct Even: Decodable {
      let even: Int
      private enum Keys: String, CodingKey { case even }
      init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Keys.self)
        even = try object.decode(Int.self, forKey: .even)
        guard even % 2 == 0 else {
          throw DecodingError.dataCorruptedError(
            forKey: .even, in: object, debugDescription: "odd")
        }
      }
    }
    let recorder = Recorder()
    let text = "{\"a\":[{\"x-even\":2},\n{\"x-even\":3}]}"

    let error = try #require(throws: DecodingError.self) {
      try JSONReader(recorder.decoder).decode([String: [Even]].self, from: Data(text.utf8))
    }

    let position = try #require(JSONPosition(of: error))
    #expect((position.line, position.column) == (2, 11))
    #expect(recorder.paths.contains("a/-.Index 1/1.x-even/-"))
  }

  @Test(arguments: [#"{"1":{"id":"x"}}"#, #"{"a":{"id":"x"}}"#, #"{"-5":{"id":"x"}}"#])
  func `a name in a dictionary is a number in a coding path where JSONDecoder has one`(text: String)
  {
    for strategy: JSONDecoder.KeyDecodingStrategy in [.useDefaultKeys, .convertFromSnakeCase] {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = strategy

      let strings = Outcome.both([String: Node].self, Data(text.utf8), decoder)
      let numbers = Outcome.both([Int: Node].self, Data(text.utf8), decoder)

      #expect(strings.ours == strings.foundation)
      #expect(numbers.ours == numbers.foundation)
    }
  }

  @Test(arguments: [
    #"["Infinity"]"#, #"["\u0049nfinity"]"#, #"["-Infinit\u00e9"]"#, #"["-Infinité"]"#,
    "[\"-Infinite\u{301}\"]", #"["NaN"]"#, #"["\u004eaN"]"#, #"["nan"]"#,
  ])
  func `a string stands for a float that isn't a number in the bytes of the strategy`(text: String)
  {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinité", nan: "NaN")

    let doubles = Outcome.both([Double].self, Data(text.utf8), decoder)
    let floats = Outcome.both([Float].self, Data(text.utf8), decoder)

    #expect(doubles.ours == doubles.foundation)
    #expect(floats.ours == floats.foundation)
  }
}
