import Foundation
import ResourceJSON
import Synchronization
import Testing

struct JSONReaderTests {
  @Test func `a subclass of JSONDecoder decodes itself`() throws {
    // A subclass of a class that is `@unchecked Sendable` has to say so again.
    final class Other: JSONDecoder, @unchecked Sendable {
      override func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try super.decode(type, from: Data("[7]".utf8))
      }
    }
    #expect(try JSONReader(Other()).decode([Int].self, from: Data("[1]".utf8)) == [7])
  }

  @Test func `a decoder that allows JSON5 reads it`() throws {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    #expect(try JSONReader(decoder).decode([Int].self, from: Data("[0x10,]".utf8)) == [16])
  }

  @Test func `a decoder that assumes a dictionary reads one without braces`() throws {
    let decoder = JSONDecoder()
    decoder.assumesTopLevelDictionary = true
    let members = try JSONReader(decoder).decode([String: Int].self, from: Data("\"a\":1".utf8))
    #expect(members == ["a": 1])
  }

  @Test func `types find the user info of the decoder`() throws {
    struct Greeting: Decodable {
      let text: String
      init(from decoder: any Decoder) throws {
        let key = try #require(CodingUserInfoKey(rawValue: "greeting"))
        text = try #require(decoder.userInfo[key] as? String)
      }
    }
    let decoder = JSONDecoder()
    decoder.userInfo[try #require(CodingUserInfoKey(rawValue: "greeting"))] = "hello"
    #expect(
      try JSONReader(decoder).decode([Greeting].self, from: Data("[1]".utf8)).map(\.text) == [
        "hello"
      ])
  }

  @Test func `a type that keeps its decoder can use it when the document is gone`() throws {
    struct Kept: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) { self.decoder = decoder }
    }
    func kept() throws -> [Kept] {
      let text = "[{\"name\":\"a name that is longer than fifteen bytes\"}, \"x\"]"
      return try JSONReader().decode([Kept].self, from: Data(text.utf8))
    }

    let decoders = try kept().map(\.decoder)

    #expect(decoders.map { $0.codingPath.map(\.stringValue) } == [["Index 0"], ["Index 1"]])
    let name = try decoders[0].container(keyedBy: Name.self).decode(
      String.self, forKey: Name(stringValue: "name"))
    #expect(name == "a name that is longer than fifteen bytes")
    #expect(throws: DecodingError.self) { try decoders[1].unkeyedContainer() }
  }

  @Test func `a copy of an unkeyed container goes its own way`() throws {
    struct Twice: Decodable {
      let sums: [Int]
      init(from decoder: any Decoder) throws {
        var first = try decoder.unkeyedContainer()
        _ = try first.decode(Int.self)
        var second = first
        sums = [try first.decode(Int.self), try second.decode(Int.self), second.currentIndex]
      }
    }
    #expect(try JSONReader().decode(Twice.self, from: Data("[1,2,3]".utf8)).sums == [2, 2, 2])
  }

  @Test func `members may be asked for in any order, and more than once`() throws {
    struct Backwards: Decodable {
      let text: String
      init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Name.self)
        text = try ["c", "a", "b", "b", "a", "c"].map {
          "\(try object.decode(Int.self, forKey: Name(stringValue: $0)))"
        }.joined()
      }
    }
    let text = "{\"a\":1,\"b\":2,\"c\":3}"
    #expect(try JSONReader().decode(Backwards.self, from: Data(text.utf8)).text == "312213")
  }

  @Test func `a reader works on several threads at once`() async throws {
    let reader = JSONReader()
    let data = Data("[[1,2],[3,4]]".utf8)
    try await withThrowingTaskGroup(of: [[Int]].self) { group in
      for _ in 0..<100 { group.addTask { try reader.decode([[Int]].self, from: data) } }
      for try await value in group { #expect(value == [[1, 2], [3, 4]]) }
    }
  }

  @Test func `an error that isn't a DecodingError comes as it is`() throws {
    struct Refusal: Error {}
    struct Refusing: Decodable {
      init(from decoder: any Decoder) throws { throw Refusal() }
    }
    #expect(throws: Refusal.self) {
      try JSONReader().decode([Refusing].self, from: Data("[1]".utf8))
    }
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      "[" + String(repeating: "1,", count: 30_000) + "1]",
      "{" + (0..<10_000).map { "\"key\($0)\":\($0)" }.joined(separator: ",") + "}",
      "{" + String(repeating: "\"a\":1,", count: 20_000) + "\"a\":1}",
      "\"" + String(repeating: "\\u00e9", count: 20_000) + "\"",
      "[" + String(repeating: "[],{},", count: 10_000) + "0]",
      String(repeating: " ", count: 1_000_000) + "1",
      "1" + String(repeating: "0", count: 200) + "." + String(repeating: "0", count: 10_000),
    ])
  func `documents of any form take time that grows with their bytes`(text: String) throws {
    #expect(throws: Never.self) { try JSONReader().decode(Tree.self, from: Data(text.utf8)) }
  }

  @Test(.timeLimit(.minutes(10)))
  func
    `elements that are tried as one type after the other take time that grows with their number`()
    throws
  {
    struct Either: Decodable {
      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if (try? value.decode(Int.self)) == nil, (try? value.decode([Int].self)) == nil {
          _ = try value.decode(String.self)
        }
      }
    }
    let text = "[" + String(repeating: "\"x\",", count: 10_000) + "\"x\"]"
    #expect(try JSONReader().decode([Either].self, from: Data(text.utf8)).count == 10_001)
  }
}
