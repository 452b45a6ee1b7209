import Foundation
import ResourceXML
import Synchronization
import Testing

/// Elements with many children or attributes. Quadratic work would take more than 10^9 steps, or
/// copy more than 10^11 bytes, and exceed the time limit.
@Suite(.timeLimit(.minutes(15)))
struct LargeElementTests {
  private func decode<Value: Decodable>(
    _ type: Value.Type, _ document: String, _ decoder: XMLDecoder = XMLDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: Data(document.utf8))
  }

  @Test func `siblings that differ only by prefix are decoded in linear time`() throws {
    let count = 60_000
    let items = (0..<count).map { "<p\($0):v xmlns:p\($0)='u\($0)'>\($0)</p\($0):v>" }.joined()

    let values = try decode([String: Int].self, "<l>\(items)</l>")

    #expect(values.count == count)
    #expect(values["p7:v"] == 7)
    #expect(values["p59999:v"] == 59_999)
  }

  @Test func `siblings that differ only by namespace are found by it in linear time`() throws {
    struct First: Decodable {
      var last: [Int]
      enum CodingKeys: String, CodingKey { case last = "{u1}v" }
    }
    let items = (0..<60_000).map { "<v xmlns='u\($0 % 2)'>\($0)</v>" }.joined()

    let values = try decode([String: First].self, "<l><a>\(items)</a><b>\(items)</b></l>")

    #expect(values["a"]?.last.count == 30_000)
    #expect(values["b"]?.last.first == 1)
  }

  @Test func `elements with the largest allowed number of attributes are decoded by name`() throws {
    let attributes = (0..<1_000).map { " a\($0)='\($0)'" }.joined()
    let elements = String(repeating: "<e\(attributes)/>", count: 40)

    let values = try decode([[String: Int]].self, "<l>\(elements)</l>")

    #expect(values.count == 40)
    #expect(values.last?["a999"] == 999)
  }

  @Test func `a long namespace is stored once for all of its names`() throws {
    let uri = String(repeating: "u", count: 8 << 20)
    let names = (0..<50_000).map { "<n\($0)/>" }.joined()
    let document = "<l xmlns='\(uri)'>\(names)</l>"
    var decoder = XMLDecoder()
    decoder.keyDecodingStrategy = .convertFromUppercase

    let tree = try XMLTree(parsing: Data(document.utf8))

    #expect(tree.root.elements.allSatisfy { $0.name.namespace?.utf8.count == 8 << 20 })
    #expect(try XMLDecoder().decode([String: String].self, from: tree).count == 50_000)
    #expect(try decoder.decode([String: String].self, from: tree).count == 50_000)
  }

  @Test func `a custom key strategy is called once for each local name`() throws {
    final class Names: Sendable { let all = Mutex<[String]>([]) }
    let names = Names()
    var decoder = XMLDecoder()
    decoder.keyDecodingStrategy = .custom { name in
      names.all.withLock { $0.append(name) }
      return name.uppercased()
    }
    let document = "<a xmlns:p='u' xmlns:q='w'><b/><p:b/><q:b c='1'/><c/></a>"

    let values = try decode([String: String].self, document, decoder)

    #expect(values.keys.sorted() == ["B", "C", "p:B", "q:B"])
    #expect(names.all.withLock { $0.sorted() } == ["a", "b", "c", "p", "q"])
  }

  @Test func `a large element is decoded like a small one`() throws {
    struct Values: Decodable, Equatable {
      var exact: [Int]
      var loose: [Int]
      var byNamespace: [Int]
      var attribute: String
      var first: Int
      enum CodingKeys: String, CodingKey {
        case exact = "p:a"
        case loose = "b"
        case byNamespace = "{u}b"
        case attribute = "id"
        case first = "c"
      }
    }
    let children =
      "<p:b>1</p:b><q:a>2</q:a><p:a>3</p:a><q:b>4</q:b><p:a>5</p:a><q:c>6</q:c><c>7</c><p:c>8</p:c>"
    let filler = String(repeating: "<filler/>", count: 200)
    func document(_ more: String) -> String {
      "<l xmlns:p='u' xmlns:q='w' q:id='x' id='y'>\(more)\(children)\(more)</l>"
    }

    let small = try decode(Values.self, document(""))

    #expect(
      small == Values(exact: [3, 5], loose: [1, 4], byNamespace: [1], attribute: "y", first: 7))
    #expect(try decode(Values.self, document(filler)) == small)
  }
}
