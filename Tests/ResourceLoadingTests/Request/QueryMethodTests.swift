import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// The method QUERY and `Accept-Query` (RFC 10008).
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct QueryMethodTests {
  @Test(
    arguments: [
      (301, "QUERY", "select"), (302, "QUERY", "select"), (303, "GET", ""),
      (307, "QUERY", "select"), (308, "QUERY", "select"),
    ], Means.allCases)
  func `a query arrives with its body, also after a redirect other than 303`(
    _ row: (status: Int, method: String, body: String), _ means: Means
  ) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("QUERY /old") { _ in .redirect(to: "new", status: row.status) }
      LoopbackRoute("/new") { _ in .response(body: "found") }
    }
    defer { server.stop() }
    let request = Request.query(server.url("/old")).body(.text("select"))

    let text = try await means.makeLoader().load(.text(request))

    #expect(text == "found")
    #expect(server.requests.map(\.method) == ["QUERY", row.method])
    #expect(server.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == row.body)
    #expect(server.requests.first?.header("Content-Type") == "text/plain; charset=utf-8")
  }

  @Test(arguments: Means.allCases)
  func `a query without a body says that it is empty`(_ means: Means) async throws {
    let server = try LoopbackServer { LoopbackRoute("QUERY /") { _ in .response(body: "found") } }
    defer { server.stop() }

    let text = try await means.makeLoader().load(.text(.query(server.url("/"))))

    #expect(text == "found")
    #expect(server.requests.first?.body.isEmpty == true)
    #if Curl
      if case .client(.curl) = means {
        #expect(server.requests.first?.header("Content-Length") == "0")
      }
    #endif
  }

  @Test(
    arguments: [
      (
        #""application/jsonpath", application/sql;charset="UTF-8""#,
        ["application/jsonpath", #"application/sql; charset="UTF-8""#]
      ),
      ("text/csv;header=present", ["text/csv; header=present"]),
      ("1, (a b), text/plain", ["text/plain"]),
      ("", []), ("text/plain,", []), (nil, []),
    ] as [(String?, [String])])
  func `a response names the queries that a resource takes`(_ field: String?, _ types: [String])
    throws
  {
    var response = Response(url: try #require(URL(string: "https://example.org/contacts")))
    response.headers["Accept-Query"] = field

    #expect(response.acceptedQueries.map(\.rawValue) == types)
  }
}
