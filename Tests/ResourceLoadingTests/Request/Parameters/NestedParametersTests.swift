import Foundation
import ResourceLoading
import TestSupport
import Testing

/// Literals whose nested literals have values of several types.
@Suite(.inTurn)
struct NestedParametersTests {
  @Test func `nested literals need no cast`() throws {
    let query = Request.get("/s").query([
      "state": "open", "filter": ["id": 5, "label": "bug", "on": true, "tags": ["a", 1, nil]],
    ])
    let form = Request.post("/s").form([
      "state": "open", "user": ["id": 5, "weight": 1.5, "name": "Ada", "none": nil],
    ])
    let json = Request.post("/s").json([
      "state": "open",
      "user": ["id": 5, "name": "Ada", "none": nil, "list": [1, "b", ["c": true]]],
    ])

    #expect(
      query.query.encoded.removingPercentEncoding
        == "state=open&filter[id]=5&filter[label]=bug&filter[on]=true&filter[tags]=a&filter[tags]=1"
    )
    #expect(
      try form.body.map { String(decoding: try $0.data(), as: UTF8.self) }
        == "state=open&user%5Bid%5D=5&user%5Bweight%5D=1.5&user%5Bname%5D=Ada")
    #expect(
      try JSONValue(parsing: #require(try json.body?.data()))
        == [
          "state": "open",
          "user": .object([
            "id": 5, "name": "Ada", "none": .null, "list": [1, "b", ["c": true]],
          ]),
        ])
  }

  @Test func `nil is null in JSON, and left out of queries and forms`() throws {
    let title: String? = nil

    let json = Request.post("/").json(["title": title, "body": nil, "n": 1])
    let form = Request.post("/").form(["title": title, "body": nil, "n": 1])
    let query = Request.get("/").query(["title": title, "body": nil, "n": 1])

    let sent = try JSONValue(parsing: #require(try json.body?.data()))
    #expect(sent == .object(["title": .null, "body": .null, "n": 1]))
    #expect(try form.body?.data() == Data("n=1".utf8))
    #expect(query.query.encoded == "n=1")
  }
}
