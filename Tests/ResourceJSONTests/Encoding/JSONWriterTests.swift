import Foundation
import ResourceJSON
import Testing

/// Values written as JSON, by examples.
struct JSONWriterTests {
  private func text(_ value: some Encodable, _ encoder: JSONEncoder = JSONEncoder()) throws
    -> String
  {
    String(decoding: try JSONWriter(encoder).encode(value), as: UTF8.self)
  }

  private func path(of error: any Error) -> [String]? {
    guard case EncodingError.invalidValue(_, let context) = error else { return nil }
    return context.codingPath.map(\.stringValue)
  }

  private struct Item: Encodable {
    var name = "a/b"
    var id = 7
    var score = 1.0
  }

  @Test func `members keep the order in which they are encoded`() throws {
    #expect(try text(Item()) == #"{"name":"a\/b","id":7,"score":1}"#)
  }

  @Test func `a subclass of JSONEncoder encodes itself`() throws {
    // A subclass of a class that is `@unchecked Sendable` has to say so again.
    final class Fixed: JSONEncoder, @unchecked Sendable {
      override func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("fixed".utf8) }
    }

    #expect(try text(1, Fixed()) == "fixed")
  }

  @Test func `a number that isn't one is an error with its path`() throws {
    let error = try #require(throws: EncodingError.self) {
      try JSONWriter().encode(["a": [1, 2, Double.nan]])
    }

    #expect(path(of: error) == ["a", "Index 2"])
  }

  @Test func `a decimal that isn't a number is an error instead of text that isn't JSON`() throws {
    let error = try #require(throws: EncodingError.self) {
      try JSONWriter().encode(["a": Decimal.nan])
    }

    #expect(path(of: error) == ["a"])
    #expect(try JSONEncoder().encode(Decimal.nan) == Data("NaN".utf8))
  }

  @Test func `what failed and was caught leaves no trace`() throws {
    struct Broken: Encodable {
      func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(1, forKey: Name(stringValue: "left"))
        try object.encode(Double.nan, forKey: Name(stringValue: "wrong"))
      }
    }
    struct Careful: Encodable {
      func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try? object.encode(Broken(), forKey: Name(stringValue: "a"))
        try object.encode([1: Item()], forKey: Name(stringValue: "b"))
        try object.encode(2, forKey: Name(stringValue: "a"))
      }
    }

    #expect(try text(Careful()) == #"{"b":{"1":{"name":"a\/b","id":7,"score":1}},"a":2}"#)
  }

  @Test func `a container can be written to while a value inside it is encoded`() throws {
    final class Outer {
      var object: KeyedEncodingContainer<Name>?
      var array: (any UnkeyedEncodingContainer)?
    }
    struct Inner: Encodable {
      let outer: Outer

      func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(1, forKey: Name(stringValue: "inner"))
        try outer.object?.encode(2, forKey: Name(stringValue: "late"))
        try outer.array?.encode("late")
        try object.encode(3, forKey: Name(stringValue: "last"))
      }
    }
    struct Whole: Encodable {
      let isObject: Bool

      func encode(to encoder: any Encoder) throws {
        let outer = Outer()
        if isObject {
          var object = encoder.container(keyedBy: Name.self)
          try object.encode(0, forKey: Name(stringValue: "first"))
          outer.object = object
          try object.encode(Inner(outer: outer), forKey: Name(stringValue: "value"))
          try object.encode(4, forKey: Name(stringValue: "z"))
        } else {
          var array = encoder.unkeyedContainer()
          try array.encode(0)
          outer.array = array
          try array.encode(Inner(outer: outer))
          try array.encode(4)
        }
      }
    }
    let sorted = JSONEncoder()
    sorted.outputFormatting = .sortedKeys

    for isObject in [true, false] {
      let value = [Whole(isObject: isObject)]
      #expect(try JSONWriter(sorted).encode(value) == sorted.encode(value))
    }
  }

  @Test func `members stay that JSONEncoder loses when a single value follows`() throws {
    struct Both: Encodable {
      func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        var single = encoder.singleValueContainer()
        try single.encode(["a": 1])
        try object.encode(2, forKey: Name(stringValue: "b"))
      }
    }

    #expect(try text(Both()) == #"{"a":1,"b":2}"#)
    #expect(try JSONEncoder().encode(Both()) == Data(#"{"a":1}"#.utf8))
  }

  @Test func `an encoder that is kept has no effect later`() throws {
    final class Keeper: Encodable {
      var kept: [any UnkeyedEncodingContainer] = []

      enum CodingKeys: CodingKey {}

      func encode(to encoder: any Encoder) throws {
        var array = encoder.unkeyedContainer()
        kept += [array, array.nestedUnkeyedContainer()]
        try array.encode(1)
      }
    }

    let keeper = Keeper()

    let data = try JSONWriter().encode([keeper, keeper])
    for index in keeper.kept.indices {
      try keeper.kept[index].encode("late")
      try keeper.kept[index].encode([["late"]])
      var object = keeper.kept[index].nestedContainer(keyedBy: Name.self)
      try object.encode(1, forKey: Name(stringValue: "late"))
    }

    #expect(data == Data("[[[],1],[[],1]]".utf8))
    #expect(keeper.kept.count == 4)
  }

  @Test func `the last of two values for a name counts, and the first spelling`() throws {
    struct Twice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        for (number, name) in ["a", "é", "a", "e\u{301}"].enumerated() {
          try object.encode(number, forKey: Name(stringValue: name))
        }
      }
    }

    #expect(try text(Twice()) == #"{"a":2,"é":3}"#)
  }

  @Test(arguments: [10, 32, 33, 500])
  func `a name is found again in an object of any size`(count: Int) throws {
    struct Large: Encodable {
      let count: Int

      func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        for number in 0..<count {
          try object.encode(number, forKey: Name(stringValue: "name \(number)"))
        }
        for number in 0..<count where number % 3 == 0 {
          try object.encode(-number, forKey: Name(stringValue: "name \(number)"))
        }
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]

    let value = Large(count: count)

    #expect(try JSONWriter(encoder).encode(value) == encoder.encode(value))
  }

  @Test func `a second value in a container for one is a mistake`() async {
    await #expect(processExitsWith: .failure) {
      struct Two: Encodable {
        func encode(to encoder: any Encoder) throws {
          var single = encoder.singleValueContainer()
          try single.encode(1)
          try single.encode(2)
        }
      }
      _ = try JSONWriter().encode(Two())
    }
  }
}

/// Containers that nest deep.
struct EncodingDepthTests {
  private indirect enum Nest: Encodable {
    case level(Nest)
    case numbers([Int])
    case end

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .level(let inner):
        var array = encoder.unkeyedContainer()
        try array.encode(inner)
      case .numbers(let numbers):
        var single = encoder.singleValueContainer()
        try single.encode(numbers)
      case .end:
        var single = encoder.singleValueContainer()
        try single.encodeNil()
      }
    }

    init(_ levels: Int, _ end: Nest) {
      self = (0..<levels).reduce(end) { inner, _ in .level(inner) }
    }
  }

  @Test(arguments: [509, 510, 511, 512, 600])
  func `values nest as deep as in JSONEncoder`(levels: Int) {
    for end in [Nest.end, .numbers([1]), .numbers([])] {
      for format: JSONEncoder.OutputFormatting in [[], .prettyPrinted] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = format
        let value = Nest(levels, end)

        #expect(
          EncodingOutcome { try JSONWriter(encoder).encode(value) }
            == EncodingOutcome { try encoder.encode(value) })
      }
    }
  }

  @Test func `an object that contains itself is an error instead of a crash`() {
    final class Node: Encodable {
      var next: Node?

      enum CodingKeys: CodingKey { case next }

      func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(next, forKey: .next)
      }
    }
    let node = Node()
    node.next = node
    defer { node.next = nil }

    #expect(throws: EncodingError.self) { try JSONWriter().encode(node) }
  }

  @Test func `nested containers that are too deep are an error`() {
    struct Deep: Encodable {
      func encode(to encoder: any Encoder) throws {
        var array = encoder.unkeyedContainer()
        for _ in 0..<600 { array = array.nestedUnkeyedContainer() }
      }
    }

    #expect(
      EncodingOutcome { try JSONWriter().encode(Deep()) }
        == EncodingOutcome { try JSONEncoder().encode(Deep()) })
  }
}
