import Foundation
import ResourceLoading
import ResourceXML
import TestSupport
import Testing

/// The samples of the documentation that load and send XML, word for word.
@Suite(.inTurn)
struct DocumentedXML {
  @Test func `the sample of a resource loads entries`() throws {
    struct Entry: Decodable, Sendable {
      var title: String
      var link: URL?
    }

    let entries = Resource<[Entry]>.xml(.get("/feed"), at: "rss.channel.item")

    let url = try #require(URL(string: "https://example.org/feed"))
    let body = Data("<rss><channel><item><title>t</title></item></channel></rss>".utf8)
    #expect(try entries.parser(Response(url: url, body: body)).map(\.title) == ["t"])
  }

  @Test func `the sample of a body is a SOAP request`() throws {
    let item = "salt & vinegar"

    let request = Request.post("/prices").body(
      .xml("soap:Envelope", ["xmlns:soap": "http://schemas.xmlsoap.org/soap/envelope/"]) {
        $0.element("soap:Body") {
          $0.element("GetPrice", ["xmlns": "https://example.org/prices"]) {
            $0.element("item", text: item)
          }
        }
      })

    let wire = try WireRequest(request.below(#require(URL(string: "https://example.org"))))
    let tree = try XMLTree(parsing: #require(wire.body).data())
    #expect(tree.root["Body"]?["GetPrice"]?["item"]?.text == item)
    #expect(wire.headers[.contentType] == "application/xml")
  }
}
