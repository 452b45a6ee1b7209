import Foundation
import ResourceJSON
import Synchronization
import Testing

/// Elements of an array whose document arrives in pieces.
struct ElementsTests {
  private struct Item: Decodable, Equatable {
    var id: Int
    var name: String?
  }

  /// Reads a document that arrives byte by byte, or as one piece.
  private func read<Element: Decodable>(
    _ elements: JSONElements<Element>, _ text: String, byByte: Bool = true
  ) -> (values: [Element], errors: [any Error]) {
    var elements = elements
    var values: [Element] = []
    var errors: [any Error] = []
    func drain() {
      while true {
        do {
          guard let value = try elements.next() else { return }
          values.append(value)
        } catch {
          errors.append(error)
        }
      }
    }
    for piece in byByte ? text.utf8.map({ Data([$0]) }) : [Data(text.utf8)] {
      elements.append(piece)
      drain()
    }
    elements.finish()
    drain()
    return (values, errors)
  }

  @Test func `an element is there as soon as its last byte is`() throws {
    var elements = JSONReader().elements(of: Item.self, at: "items")
    var counts: [Int] = []
    for piece in ["{\"items\":[{\"id\":1", "}", ",{\"id\":2},{\"id\":3}", ",4"] {
      elements.append(Data(piece.utf8))
      var count = 0
      while try elements.next() != nil { count += 1 }
      counts.append(count)
    }

    #expect(counts == [0, 1, 2, 0])
  }

  @Test(arguments: [
    ("items", #"{"items":[{"id":1},{"id":2}]}"#), ("", #"[{"id":1},{"id":2}]"#),
    ("a.b", #"{"x":{"b":[0]},"a":{"c":[[]],"b":[{"id":1},{"id":2}],"b":[{"id":3}]},"a":1}"#),
    ("pages[1].items", #"{"pages":[{"items":[7]},{"items":[{"id":1},{"id":2}]},[]]}"#),
    ("pages.1.items", #"{"pages":[{"items":[7]},{"items":[{"id":1},{"id":2}]},[]]}"#),
    (#"a\.b"#, #"{"a":{"b":[]},"a.b":[{"id":1},{"id":2}]}"#),
    ("/a.b/~1~0", #"{"a.b":{"/~":[{"id":1},{"id":2}]}}"#),
    ("1", #"{"1":[{"id":1},{"id":2}]}"#), ("é", #"{"\u00e9":[{"id":1},{"id":2}]}"#),
    ("é", "{\"e\u{301}\":[{\"id\":1},{\"id\":2}]}"),
  ])
  func `an array is found at any path`(path: String, text: String) {
    let (values, errors) = read(JSONReader().elements(of: Item.self, at: path), text)

    #expect(values == [Item(id: 1), Item(id: 2)])
    #expect(errors.isEmpty)
  }

  @Test func `names on the path are those that the key strategy makes`() {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let paths = Mutex<[String]>([])
    let custom = JSONDecoder()
    custom.keyDecodingStrategy = .custom { path in
      paths.withLock { $0.append(path.map(\.stringValue).joined(separator: ".")) }
      return Name(stringValue: path.last?.stringValue.uppercased() ?? "")
    }

    let snake = read(
      JSONReader(decoder).elements(of: Int.self, at: "openIssues"), #"{"open_issues":[1,2]}"#)
    let upper = read(
      JSONReader(custom).elements(of: [String: Int].self, at: "A.B"),
      #"{"x":0,"a":{"b":[{"c":1}]}}"#)

    #expect(snake.values == [1, 2])
    #expect(upper.values == [["c": 1]])
    #expect(paths.withLock { $0 } == ["x", "a", "A.b"])
  }

  @Test(arguments: [
    ("items", #"{"other":[]}"#, "keyNotFound items", ""),
    ("a.items", #"{"a":{"b":1}}"#, "keyNotFound items", "a/-"),
    ("a[1].b", #"{"a":[{}]}"#, "keyNotFound 1", "a/-"),
    ("items", "[]", "typeMismatch Dictionary<String, Any>", ""),
    ("items", #"{"items":{"id":1}}"#, "typeMismatch Array<Any>", "items/-"),
    ("items", #"{"items":null}"#, "valueNotFound Array<Any>", "items/-"),
    ("items", #"{"items":12}"#, "typeMismatch Array<Any>", "items/-"),
  ])
  func `a document without the array is an error with the path`(
    path: String, text: String, error: String, codingPath: String
  ) throws {
    for byByte in [true, false] {
      let found = read(JSONReader().elements(of: Item.self, at: path), text, byByte: byByte)

      #expect(found.values.isEmpty)
      let thrown = try #require(found.errors.first)
      let outcome = Outcome { throw thrown }
      #expect(outcome.description.trimmingCharacters(in: .whitespaces) == error)
      #expect(outcome.path == codingPath)
      #expect(JSONPosition(of: thrown) != nil)
    }
  }

  @Test func `a wrong element has its path and position in the whole document`() throws {
    let text = "{\"items\": [\n {\"id\": 1},\n {\"id\": \"x\"},\n {\"id\": 3}]}"
    struct Page: Decodable { var items: [Item] }
    let whole = try #require(throws: DecodingError.self) {
      try JSONReader().decode(Page.self, from: Data(text.utf8))
    }

    for byByte in [true, false] {
      let (values, errors) = read(
        JSONReader().elements(of: Item.self, at: "items"), text, byByte: byByte)

      // Reading goes on behind it.
      #expect(values == [Item(id: 1), Item(id: 3)])
      let error = try #require(errors.first)
      #expect(errors.count == 1)
      #expect(JSONPosition(of: error) == JSONPosition(of: whole))
      #expect(Outcome { throw error } == Outcome { throw whole })
    }
  }

  @Test func `what comes before a mistake is read, and nothing behind it`() throws {
    for byByte in [true, false] {
      let (values, errors) = read(
        JSONReader().elements(of: Item.self), "[{\"id\":1},{\"id\":2},\n{\"id\":01},{\"id\":4}]",
        byByte: byByte)

      #expect(values == [Item(id: 1), Item(id: 2)])
      #expect(errors.count == 1)
      let position = try #require(errors.first.flatMap { JSONPosition(of: $0) })
      #expect((position.line, position.column) == (2, 7))
    }
  }

  @Test(arguments: [true, false])
  func `an element that is too large is an error before it is kept`(byByte: Bool) throws {
    let text = #"[{"id":1},{"id":2,"name":"\#(String(repeating: "x", count: 300))"},{"id":3}]"#

    let (values, errors) = read(
      JSONReader().elements(of: Item.self, maximumElementSize: 100), text, byByte: byByte)

    #expect(values == [Item(id: 1)])
    let error = try #require(errors.first as? JSONSizeError)
    #expect(error.limit == 100)
    #expect(error.position.offset == 10)
  }

  @Test func `values off the path may be larger than an element`() {
    let numbers = (0..<20_000).map(String.init).joined(separator: ",")
    let text = #"{"other":{"a":[\#(numbers)],"b":[[[\#(numbers)]]]},"items":[{"id":1}]}"#

    for byByte in [true, false] {
      let (values, errors) = read(
        JSONReader().elements(of: Item.self, at: "items", maximumElementSize: 100), text,
        byByte: byByte)

      #expect(values == [Item(id: 1)])
      #expect(errors.isEmpty)
    }
  }

  @Test(arguments: ["", "items"])
  func `values nest as deep as in a whole document`(path: String) throws {
    struct Anything: Decodable { init(from decoder: any Decoder) {} }
    func text(_ depth: Int) -> String {
      let array = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return path.isEmpty ? array : "{\"\(path)\":\(array)}"
    }
    let limit = path.isEmpty ? 512 : 511

    let most = read(JSONReader().elements(of: Anything.self, at: path), text(limit))
    let tooMany = read(JSONReader().elements(of: Anything.self, at: path), text(limit + 1))

    #expect(most.values.count == 1)
    #expect(most.errors.isEmpty)
    let error = try #require(tooMany.errors.first as? DecodingError)
    #expect("\(error)".contains("nested deeper than 512"))
  }

  @Test func `an element that keeps its decoder can use it later`() throws {
    struct Kept: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) { self.decoder = decoder }
    }
    let text = #"[{"id":1,"name":"a\nb"},{"id":2},{"id":3}]"#

    let (values, _) = read(JSONReader().elements(of: Kept.self), text, byByte: false)

    #expect(
      try values.map { try Item(from: $0.decoder) }
        == [Item(id: 1, name: "a\nb"), Item(id: 2), Item(id: 3)])
    #expect(values.map { $0.decoder.codingPath.map(\.intValue) } == [[0], [1], [2]])
  }

  @Test func `a decoder that decodes by itself gets each element`() {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true

    let (values, errors) = read(
      JSONReader(decoder).elements(of: Item.self, at: "items"),
      #"{"items":[{"id":1},{"id":2,"name":"x"}]}"#)

    #expect(values == [Item(id: 1), Item(id: 2, name: "x")])
    #expect(errors.isEmpty)
  }

  @Test(arguments: [
    (JSONSequenceForm.concatenated, #"{"id":1}{"id":2} {"id":3}"#),
    (.concatenated, "\u{FEFF} {\"id\":1}\n\n{\"id\":2}\r\n{\"id\":3}\n"),
    (.lines, "{\"id\":1}\n\r\n  \n{\"id\":2}\r\n{\"id\":3}"),
    (.recordSeparated, "\u{1E}{\"id\":1}\n\u{1E}\u{1E}{\"id\":2}\n\u{1E} {\n\"id\":3\n}\n"),
  ])
  func `values one behind the other are read in each form`(form: JSONSequenceForm, text: String) {
    for byByte in [true, false] {
      let (values, errors) = read(
        JSONReader().values(of: Item.self, in: form), text, byByte: byByte)

      #expect(values == [Item(id: 1), Item(id: 2), Item(id: 3)])
      #expect(errors.isEmpty, "\(errors)")
    }
  }

  @Test(arguments: [
    // A line is a document of its own.
    (JSONSequenceForm.lines, "1\n2 3\n{\n4\n\n5", [1, 2, 4, 5], 2),
    // What was cut off while it was written is told from what is whole (RFC 7464 section 2.4).
    (.recordSeparated, "\u{1E}1\n\u{1E}2\u{1E}3\n\u{1E}[\u{1E}4\n\u{1E}5", [1, 3, 4], 3),
    (.recordSeparated, "1\n\u{1E}2\n", [2], 1),
    (.concatenated, "1 2 x 3", [1, 2], 1),
    (.concatenated, "", [], 0), (.lines, "\n\n", [], 0), (.recordSeparated, "", [], 0),
  ])
  func `a mistake in a sequence loses one record, and all behind it where there are none`(
    form: JSONSequenceForm, text: String, expected: [Int], mistakes: Int
  ) {
    for byByte in [true, false] {
      let (values, errors) = read(JSONReader().values(of: Int.self, in: form), text, byByte: byByte)

      #expect(values == expected)
      #expect(errors.count == mistakes)
    }
  }

  @Test func `positions count the characters of a line that is long gone`() throws {
    let line = (0..<3_000).map { "{\"id\":\($0),\"name\":\"é日本e\u{301}👩‍👩‍👧한グ\u{3099}\"}" }
      .joined(separator: ",")
    let text = "\n[\(line),{\"id\":\"x\"}]"
    let whole = try #require(throws: DecodingError.self) {
      try JSONReader().decode([Item].self, from: Data(text.utf8))
    }

    let (values, errors) = read(JSONReader().elements(of: Item.self), text, byByte: false)

    #expect(values.count == 3_000)
    let position = try #require(errors.first.flatMap { JSONPosition(of: $0) })
    #expect(position == JSONPosition(of: whole))
    #expect(position.column == text.dropFirst().prefix { $0 != "x" }.count)
  }
}
