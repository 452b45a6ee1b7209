import Foundation
import ResourceLoading
import ResourceXML
import TestSupport
import Testing

@Suite(.inTurn)
struct XMLResourceTests {
  struct Entry: Decodable, Equatable, Sendable {
    var title: String
    var count: Int
  }

  private func response(
    _ body: some Sequence<UInt8>, type: String? = nil, status: Status = .ok
  ) throws -> Response {
    let url = try #require(URL(string: "https://example.org/e"))
    var headers = Headers()
    headers[.contentType] = type
    return Response(url: url, status: status, headers: headers, body: Data(body))
  }

  private func error(_ body: () throws -> Void) -> LoadError? {
    do {
      try body()
      return nil
    } catch {
      return error as? LoadError
    }
  }

  @Test func `XML is decoded into the value, from a path if one is given`() throws {
    let url = try #require(URL(string: "https://example.org/e"))
    let body = "<l><e><title>a</title><count>1</count></e><e title='b' count='2'/></l>".utf8
    let all = Resource<[Entry]>.xml(url, at: "l.e")
    let first = Resource<Entry>.xml(.get("/e"), at: "l.e")

    #expect(try all.parser(response(body)).map(\.title) == ["a", "b"])
    #expect(try first.parser(response(body)) == Entry(title: "a", count: 1))
    #expect(all.request.headers[.accept]?.hasPrefix("application/xml") == true)
  }

  @Test func `a resource of XML is written like one of JSON or text`() async throws {
    let url = try #require(URL(string: "https://example.org/e"))
    let response = Response(url: url, body: Data("<l><e title='a' count='1'/></l>".utf8))
    let entry = Entry(title: "a", count: 1)
    func load<R>(_ resource: Resource<R>) async throws -> R { try await resource.read(response) }

    #expect(try await load(.xml(.get("/e"), as: Entry.self, at: "l.e")) == entry)
    #expect(try await load(.xml(url, at: "l.e")) == entry)
    let tree: XMLTree = try await load(.xml(.get("/e")))
    #expect(tree.root.name.local == "l")
  }

  @Test func `any JSON value can be decoded from text`() throws {
    let resource = Resource<[String: JSONValue]>.xml(.get("/"))

    let values = try resource.parser(response("<v a='1'><b>true</b><c><d>x</d>y</c></v>".utf8))

    #expect(values == ["a": "1", "b": "true", "c": "xy"])
  }

  @Test func `the charset of the media type is used`() throws {
    let resource = Resource<String>.xml(.get("/"))
    let body = Array("<a>".utf8) + [0xE4] + Array("</a>".utf8)

    #expect(try resource.parser(response(body, type: "text/xml; charset=\"ISO-8859-1\"")) == "ä")
    #expect(throws: LoadError.self) { try resource.parser(response(body, type: "text/xml")) }
  }

  @Test(
    arguments: [
      ("application/json", "{\"title\":\"t\",\"count\":1}"),
      ("application/feed+json", " {\"title\":\"t\",\"count\":1}"),
      ("application/atom+xml", "<e title='t' count='1'/>"),
      ("text/xml; charset=utf-8", "<e title='t' count='1'/>"),
      ("text/plain", "\n<e title='t' count='1'/>"), ("text/plain", "{\"title\":\"t\",\"count\":1}"),
      (nil, "\u{FEFF}<e title='t' count='1'/>"),
    ] as [(String?, String)])
  func `the media type of the response decides between JSON and XML`(
    _ type: String?, _ body: String
  )
    throws
  {
    let resource = Resource<Entry>.jsonOrXML(.get("/"))

    #expect(try resource.parser(response(body.utf8, type: type)) == Entry(title: "t", count: 1))
    #expect(
      resource.request.headers[.accept]?.contains("application/json, application/xml") == true)
  }

  @Test func `an XML error body is decoded into its type`() async throws {
    struct Fault: Decodable, Sendable, Equatable { var faultcode, faultstring: String }
    let text = """
      <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>
      <faultcode>s:Client</faultcode><faultstring>no such item</faultstring></s:Fault></s:Body></s:Envelope>
      """
    let resource = Resource<Entry>.xml(.post("/soap"))
      .errorBody(.xml(Fault.self, at: "Envelope.Body.Fault"))
      .sample(text, as: "text/xml", status: 500)

    let error = await #expect(throws: LoadError.self) { try await SampleLoader().load(resource) }

    #expect(error?.kind == .status)
    #expect(
      error?.errorBody(as: Fault.self) == Fault(faultcode: "s:Client", faultstring: "no such item"))
  }

  @Test func `JSON in place of XML is decoded by the loader's decoder`() async throws {
    struct Note: Decodable, Sendable { var firstLine: String }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let resource = Resource<Note>.jsonOrXML(.get("/")).sample(#"{"first_line": "Hello"}"#)

    #expect(try await SampleLoader(decoder: decoder).load(resource).firstLine == "Hello")
  }

  @Test func `a value of another type is a parsing error with path, line and column`() throws {
    let resource = Resource<[Entry]>.xml(.get("/"), at: "l.e")

    let error = error {
      _ = try resource.parser(
        response("<l>\n<e title='a' count='1'/>\n<e title='b' count='x'/></l>".utf8))
    }

    #expect(error?.kind == .parsing)
    #expect(error?.parsing?.path == "l.e[1].count")
    #expect(error?.parsing?.expectedType == "Int")
    #expect(error?.parsing?.line == 3)
    #expect(error?.parsing?.column == 21)
    #expect(error?.reason == "“x” isn't a Int")
  }

  @Test(arguments: [
    "<login><password>swordfish</password></login>", "<login password=\"swordfish\"/>",
  ])
  func `a mismatched value isn't shown if it is a secret`(_ document: String) {
    struct Login: Decodable, Sendable { var password: Int }
    let resource = Resource<Login>.xml(.get("/"))

    let error = error { _ = try resource.parser(response(document.utf8)) }

    let text = String(describing: error)
    #expect(!text.contains("swordfish") && text.contains("<redacted>"), "\(text)")
  }

  @Test func `a missing key and a broken document are parsing errors`() throws {
    let resource = Resource<Entry>.xml(.get("/"))

    let missing = error { _ = try resource.parser(response("<e title='a'/>".utf8)) }
    let broken = error { _ = try resource.parser(response("<e>\n</f>".utf8)) }
    let page = error {
      _ = try resource.parser(response("<html><br></html>".utf8, type: "text/html"))
    }
    let empty = error { _ = try resource.parser(response([])) }

    #expect(missing?.parsing?.path == "count")
    #expect(broken?.parsing?.line == 2)
    #expect(broken?.parsing?.expectedType == "Entry")
    #expect(page?.reason == "the body is HTML, not XML")
    #expect(empty?.kind == .parsing)
  }

  @Test func `a response without a body is nil for an optional`() throws {
    let resource = Resource<Entry?>.xml(.get("/"))

    #expect(try resource.parser(response([], status: Status(rawValue: 204))) == nil)
    #expect(
      try resource.parser(response("<e title='a' count='1'/>".utf8)) == Entry(title: "a", count: 1))
  }

  @Test func `a tree can be loaded as a resource`() throws {
    let resource = Resource<XMLTree>.xml(.get("/"))

    #expect(try resource.parser(response("<a><b>c</b></a>".utf8)).root["b"]?.text == "c")
    #expect(throws: LoadError.self) { try resource.parser(response("<a>".utf8)) }
  }

  @Test func `a body that can't be written as XML fails the load, and nothing is sent`() async {
    let client = Client(baseURL: URL(string: "http://127.0.0.1:1/"))
    let request = Request.post("/a").body(.xml("a") { $0.element("b", text: "\u{1}") })

    let error = await #expect(throws: LoadError.self) { try await client.load(.void(request)) }

    #expect(error?.kind == .invalidRequest)
    #expect(error?.reason.contains("U+1") == true, "\(String(describing: error))")
    #expect(error?.underlying is XMLError)
  }
}
