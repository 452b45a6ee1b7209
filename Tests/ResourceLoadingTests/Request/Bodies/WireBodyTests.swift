import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn)
struct WireBodyTests {
  @Test(arguments: [1, 2, 3, 7, 100])
  func `pieces are read in order, up to the requested number of bytes`(_ size: Int) throws {
    let file = try TemporaryFile("0123456789")
    let body = WireBody([
      .data(Data("ab".utf8)), .data(Data()), .file(file.url, 2..<7), .data(Data("c".utf8)),
    ])

    var reader = body.makeReader()
    var chunks: [Data] = []
    while let chunk = try reader.next(atMost: size) { chunks.append(chunk) }

    #expect(Data(chunks.joined()) == Data("ab23456c".utf8))
    #expect(chunks.allSatisfy { (1...size).contains($0.count) })
    #expect(body.length == 8)
    #expect(try body.data() == Data("ab23456c".utf8))
    #expect(try body.data() == Data("ab23456c".utf8))
  }

  @Test func `an empty body has no pieces`() throws {
    let body = WireBody(Data())

    #expect(body.segments.isEmpty)
    #expect(try body.data() == Data())
  }

  @Test func `a slice of data is read from its start index`() throws {
    let body = WireBody([.data(Data("0123456".utf8).dropFirst(3)), .data(Data("x".utf8))])

    #expect(try body.data() == Data("3456x".utf8))
  }

  @Test func `a file that became shorter is an error`() throws {
    let file = try TemporaryFile("0123")
    let body = WireBody([.file(file.url, 0..<5)])

    let error = #expect(throws: LoadError.self) { try body.data() }

    #expect(error?.kind == .invalidRequest)
    #expect(error?.reason.contains("became shorter") == true)
  }

  @Test(arguments: ["/", "/nowhere-at-all/x"])
  func `a body that isn't a readable file is an error`(_ path: String) throws {
    let body = Request.Body.file(URL(filePath: path))

    let error = #expect(throws: LoadError.self) { try body.data() }

    #expect(error?.kind == .invalidRequest)
    #expect(error?.reason.hasPrefix("the file \(path) can't be sent: ") == true)
  }

  @Test func `a URL of another scheme is an error without the URL's secrets`() throws {
    let body = Request.Body.file(try #require(URL(string: "https://u:p@h/?token=abc")))

    let error = #expect(throws: LoadError.self) { try body.data() }

    #expect(error?.reason.contains("https://<redacted>@h/?token=<redacted>") == true)
  }

  @Test func `a file is sent as it is`() throws {
    let file = try TemporaryFile("0123456789")

    let body = try Request.Body.file(file.url).wireBody(encoder: JSONEncoder())

    #expect(body.segments == [.file(file.url, 0..<10)])
    #expect(try body.data() == Data("0123456789".utf8))
  }

  @Test func `JSON is encoded by the loader's encoder unless it has its own`() throws {
    let snake = JSONEncoder()
    snake.keyEncodingStrategy = .convertToSnakeCase
    struct Value: Encodable { var userName = 1 }
    let value = Value()

    #expect(try Request.Body.json(value).data() == Data(#"{"userName":1}"#.utf8))
    #expect(try Request.Body.json(value).data(encoder: snake) == Data(#"{"user_name":1}"#.utf8))
    let own = Request.Body.json(value, encoder: JSONEncoder())
    #expect(try own.data(encoder: snake) == Data(#"{"userName":1}"#.utf8))
  }

  @Test func `JSON that can't be encoded names the coding path and not the value`() throws {
    let body = Request.Body.json(["points": [["x": 1.0], ["x": Double.infinity]]])

    let error = #expect(throws: LoadError.self) { try body.data() }

    #expect(error?.kind == .invalidRequest)
    #expect(error?.reason.hasPrefix("the value at points[1].x can't be encoded") == true)
    #expect(error?.underlying == nil)
  }

  @Test func `bodies of JSON are equal if their JSON is`() {
    let one = Request.Body.json(["a": 1, "b": 2])
    let same = Request.Body.json(["b": 2, "a": 1])
    let other = Request.Body.json(["a": 1, "b": 3])

    #expect(one == same)
    #expect(Set([one, same, other]).count == 2)
    #expect(one != Request.Body.json(["a": 1, "b": 2], encoder: JSONEncoder()))
  }
}
