import Foundation
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn)
struct MultipartTests {
  private func text(_ parts: [Multipart.Part], boundary: String = "AaB03x") throws -> String {
    let body = Request.Body.multipart(Multipart(parts, boundary: boundary))
    return String(decoding: try body.data(), as: UTF8.self)
  }

  @Test func `fields, bytes, files and JSON follow each other`() throws {
    let file = try TemporaryFile("in the file")

    let text = try text([
      .field("field1", "Joe \"owes\"\r\n€100"),
      .data("raw", Data("<b>".utf8), filename: "a.html", as: "text/html; charset=utf-8"),
      .data("none", Data()), .file("doc", file.url, filename: "d.txt", as: "text/plain"),
      .file("doc", file.url), .json("meta", ["rating": 5]),
    ])

    let name = file.url.lastPathComponent
    let expected = """
      --AaB03x
      Content-Disposition: form-data; name="field1"

      Joe "owes"
      €100
      --AaB03x
      Content-Disposition: form-data; name="raw"; filename="a.html"
      Content-Type: text/html; charset=utf-8

      <b>
      --AaB03x
      Content-Disposition: form-data; name="none"
      Content-Type: application/octet-stream


      --AaB03x
      Content-Disposition: form-data; name="doc"; filename="d.txt"
      Content-Type: text/plain

      in the file
      --AaB03x
      Content-Disposition: form-data; name="doc"; filename="\(name)"
      Content-Type: application/octet-stream

      in the file
      --AaB03x
      Content-Disposition: form-data; name="meta"
      Content-Type: application/json

      {"rating":5}
      --AaB03x--

      """
    #expect(text == expected.replacing("\n", with: "\r\n").replacing("\"\r\r\n€", with: "\"\r\n€"))
  }

  @Test(arguments: [
    ("plain", "plain"), ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb", "a%0Ab"),
    ("a\rb", "a%0Db"), ("a\\b", "a\\b"), ("a%22b", "a%22b"), ("ü€💩", "ü€💩"), ("", ""),
    ("a; name=\"x", "a; name=%22x"), ("a'b", "a'b"), ("\0", "%00"), ("a\u{301}", "a\u{301}"),
  ])
  func `names and filenames are escaped as browsers do it`(
    _ name: String, _ expected: String
  ) throws {
    let text = try text([.data(name, Data(), filename: name)])

    #expect(text.contains("form-data; name=\"\(expected)\"; filename=\"\(expected)\"\r\n"))
  }

  @Test func `a body without parts is only the end`() throws {
    #expect(try text([]) == "--AaB03x--\r\n")
  }

  @Test func `the length is exact, without reading a file`() throws {
    let file = try TemporaryFile(String(repeating: "x", count: 100_000))

    let body = try Request.Body.multipart([.file("a", file.url), .field("b", "c")])
      .wireBody(encoder: JSONEncoder())

    #expect(body.segments.contains(.file(file.url, 0..<100_000)))
    #expect(try body.data().count == body.length)
  }

  @Test func `a boundary is random by default, and copies keep it`() throws {
    let parts: [Multipart.Part] = [.field("a", "b")]
    let copy = Request.post("p").multipart(Multipart(parts))

    #expect(Multipart(parts, boundary: "a") == Multipart(parts, boundary: "a"))
    #expect(Multipart(parts).boundary != Multipart(parts).boundary)
    #expect(try copy.body?.data() == copy.query(["a": 1]).body?.data())
    #expect((1...70).contains(Multipart(parts).boundary.utf8.count))
  }

  @Test func `a boundary that isn't a token is quoted`() throws {
    #expect(
      Multipart([], boundary: "a b:c").mediaType.rawValue
        == "multipart/form-data; boundary=\"a b:c\"")
    #expect(Multipart([], boundary: "a-b").mediaType.parameter("boundary") == "a-b")
  }

  @Test(arguments: ["", "a\r\nb", "ends ", "a\"b", "ü", "a;b", String(repeating: "x", count: 71)])
  func `an invalid boundary is refused`(_ boundary: String) {
    let error = #expect(throws: LoadError.self) { try text([], boundary: boundary) }

    #expect(error?.kind == .invalidRequest)
  }

  @Test func `a boundary that occurs in a part is refused`() {
    let error = #expect(throws: LoadError.self) { try text([.field("a", "x\r\n--AaB03x--")]) }

    #expect(error?.reason == "the boundary turns up in the part \"a\"")
  }

  @Test func `a boundary that occurs anywhere in a large part is refused`() {
    let data = Data(count: 1 << 17) + Data("\r\n--AaB03x--".utf8)

    let error = #expect(throws: LoadError.self) { try text([.data("a", data)]) }

    #expect(error?.reason == "the boundary turns up in the part \"a\"")
  }

  @Test func `bodies are equal if they send the same bytes`() {
    let random = Multipart([.field("a", "b")])
    let chosen = Multipart([.field("a", "b")], boundary: random.boundary)

    #expect(random == chosen && random.hashValue == chosen.hashValue)
    #expect(random != Multipart([.field("a", "c")], boundary: random.boundary))
  }

  @Test func `a part can have additional headers, but can't inject one`() throws {
    var part = Multipart.Part.field("a", "b")
    part.headers = ["X-One": "1", .contentType: "text/x", .contentDisposition: "no"]
    let fine = part
    part.headers = ["X": "1\r\nY: 2"]
    let injecting = part

    let head =
      "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text/x\r\nX-One: 1\r\n\r\nb"
    #expect(try text([fine]).contains(head))
    #expect(throws: LoadError.self) { try text([injecting]) }
    #expect(throws: LoadError.self) { try text([.data("a", Data(), as: "a/b\r\nX: y")]) }
  }

  @Test func `the error names a missing file`() {
    let error = #expect(throws: LoadError.self) {
      try text([.file("a", URL(filePath: "/nowhere-at-all/x"))])
    }

    #expect(error?.reason.hasPrefix("the file /nowhere-at-all/x can't be sent") == true)
  }
}
