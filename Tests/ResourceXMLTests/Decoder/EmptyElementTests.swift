import Foundation
import ResourceXML
import Testing

struct EmptyElementTests {
  private struct Empty: Decodable, Equatable {}

  private struct Point: Decodable, Equatable {
    var x: Int
    var label: String?
  }

  private enum Level: String, Decodable {
    case low, high
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, _ document: String
  ) throws -> Value {
    try XMLDecoder().decode(type, from: Data(document.utf8))
  }

  @Test func `an empty element distinguishes an optional structure from a missing one`() throws {
    struct ResourceType: Decodable, Equatable {
      var collection: Empty?
      var principal: Empty?
    }
    struct Properties: Decodable, Equatable { var resourcetype: ResourceType? }

    #expect(
      try decode(
        ResourceType.self, "<D:resourcetype xmlns:D='DAV:'><D:collection/></D:resourcetype>")
        == ResourceType(collection: Empty()))
    #expect(
      try decode(Properties.self, "<p><resourcetype/></p>")
        == Properties(resourcetype: ResourceType()))
    #expect(try decode(Properties.self, "<p/>") == Properties())
    #expect(
      try decode(Properties.self, "<p><resourcetype> \n </resourcetype></p>")
        == Properties(resourcetype: ResourceType()))
  }

  @Test func `an empty element is nil for a scalar of any type`() throws {
    struct Scalars: Decodable, Equatable {
      var int: Int?
      var byte: UInt8?
      var double: Double?
      var float: Float?
      var bool: Bool?
      var date: Date?
      var data: Data?
      var url: URL?
      var decimal: Decimal?
      var uuid: UUID?
      var level: Level?
      var levels: [Level?]
    }
    let names = [
      "int", "byte", "double", "float", "bool", "date", "data", "url", "decimal", "uuid", "level",
      "levels",
    ]

    for content in ["", " ", "<!-- none -->"] {
      let members = names.map { "<\($0)>\(content)</\($0)>" }.joined()
      #expect(try decode(Scalars.self, "<v>\(members)</v>") == Scalars(levels: [nil]))
    }
  }

  @Test func `an empty element lacks the members that a structure requires`() throws {
    struct Shape: Decodable { var point: Point? }

    let error = #expect(throws: DecodingError.self) {
      try decode(Shape.self, "<s>\n<point/></s>")
    }

    guard case .keyNotFound(let key, let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(key.stringValue == "x")
    #expect(context.codingPath.map(\.stringValue) == ["point"])
    #expect((context.underlyingError as? XMLError)?.line == 2)
  }

  @Test func `an element with xsi:nil is nil for any type`() throws {
    struct Shape: Decodable, Equatable {
      var point: Point?
      var empty: Empty?
    }
    let document =
      "<s xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><point i:nil='1'/><empty i:nil='true'/></s>"

    #expect(try decode(Shape.self, document) == Shape())
  }

  @Test func `an empty element is an item of an array of optional structures`() throws {
    #expect(try decode([Empty?].self, "<l><a/><b/></l>") == [Empty(), Empty()])
    #expect(try decode([Int?].self, "<l><a/><b>1</b></l>") == [nil, 1])
    #expect(try decode([String: Empty?].self, "<l><a/><b/></l>") == ["a": Empty(), "b": Empty()])
    #expect(try decode([String: Int?].self, "<l><a/><b>2</b></l>") == ["a": nil, "b": 2])
  }

  @Test func `only the scalar inside an optional structure is nil`() throws {
    struct Size: Decodable, Equatable {
      var value: UInt8?
      var unit: String?
      enum CodingKeys: String, CodingKey {
        case value = ""
        case unit = "@unit"
      }
    }
    struct Box: Decodable, Equatable { var size: Size? }

    #expect(try decode(Box.self, "<b><size/></b>") == Box(size: Size()))
    #expect(try decode(Box.self, "<b><size unit='m'/></b>") == Box(size: Size(unit: "m")))
    #expect(
      try decode(Box.self, "<b><size unit='m'>3</size></b>")
        == Box(size: Size(value: 3, unit: "m")))
  }

  @Test func `a type that contains itself ends at the first empty element`() throws {
    struct Folder: Decodable, Equatable {
      var folder: [Folder]?
      var file: Empty?
    }

    #expect(
      try decode(Folder.self, "<folder><folder/><folder><file/></folder></folder>")
        == Folder(folder: [Folder(), Folder(file: Empty())]))
  }

  @Test func `the decoder of a superclass reads the element super, or otherwise the same element`()
    throws
  {
    class Base: Decodable {
      let id: Int
    }
    final class Derived: Base {
      let name: String
      private enum Keys: String, CodingKey { case name }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        name = try container.decode(String.self, forKey: .name)
        try super.init(from: container.superDecoder())
      }
    }

    let nested = try decode(
      Derived.self, "<d><id>1</id><name>a</name><super><id>2</id></super></d>")
    let flat = try decode(Derived.self, "<d super='3'><id>1</id><name>a</name></d>")
    let error = #expect(throws: DecodingError.self) {
      try decode(Derived.self, "<d><id>1</id><name>a</name><super/></d>")
    }

    #expect((nested.id, nested.name) == (2, "a"))
    #expect((flat.id, flat.name) == (1, "a"))
    guard case .keyNotFound(_, let context)? = error else { throw try #require(error) }
    #expect(context.codingPath.map(\.stringValue) == ["super"])
  }
}
