import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Problem details of RFC 9457, beginning with its examples.
@Suite(.inTurn)
struct ProblemDetailsTests {
  private func read(_ json: String) -> ProblemDetails? { ProblemDetails(Data(json.utf8)) }

  @Test func `the published example with members of its own is read`() throws {
    let problem = try #require(
      read(
        """
        {
         "type": "https://example.com/probs/out-of-credit",
         "title": "You do not have enough credit.",
         "detail": "Your current balance is 30, but that costs 50.",
         "instance": "/account/12345/msgs/abc",
         "balance": 30,
         "accounts": ["/account/12345",
                      "/account/67890"]
        }
        """))

    #expect(problem.type == "https://example.com/probs/out-of-credit")
    #expect(problem.title == "You do not have enough credit.")
    #expect(problem.detail == "Your current balance is 30, but that costs 50.")
    #expect(problem.instance == "/account/12345/msgs/abc")
    #expect(problem.status == nil)
    #expect(
      problem.extensions == ["balance": 30, "accounts": ["/account/12345", "/account/67890"]])
  }

  @Test func `the published example with several errors is read`() throws {
    let problem = try #require(
      read(
        """
        {
          "type": "https://example.net/validation-error",
          "title": "Your request is not valid.",
          "errors": [
            { "detail": "must be a positive integer", "pointer": "#/age" },
            { "detail": "must be 'green', 'red' or 'blue'", "pointer": "#/profile/color" }
          ]
        }
        """))

    #expect(problem.extensions["errors"]?[1]?["pointer"]?.string == "#/profile/color")
    #expect(problem.extensions["errors"]?[2] == nil && problem.extensions["errors"]?["x"] == nil)
  }

  @Test(
    arguments: [
      ("{}", "about:blank", nil, nil), (#"{"type": null, "title": 1}"#, "about:blank", nil, nil),
      (#"{"type": "", "title": "t", "status": 403}"#, "", "t", 403),
      (#"{"status": "403", "detail": [], "instance": {}}"#, "about:blank", nil, nil),
      (#"{"status": 40.5, "title": ""}"#, "about:blank", "", nil),
    ] as [(String, String, String?, Int?)])
  func `members of another type are left out`(
    _ json: String, _ type: String, _ title: String?, _ status: Int?
  ) throws {
    let problem = try #require(read(json))

    #expect(problem.type == type && problem.title == title)
    #expect(problem.status?.rawValue == status)
    #expect(problem.detail == nil && problem.instance == nil && problem.extensions.isEmpty)
  }

  @Test(arguments: ["", "[]", "1", "\"x\"", "{", "<problem/>"])
  func `anything but an object isn't a problem`(_ json: String) {
    #expect(read(json) == nil)
  }

  @Test(arguments: [
    ("application/problem+json", true), ("Application/Problem+JSON; charset=utf-8", true),
    ("application/json", false), ("application/problem+xml", false),
  ])
  func `an error has the problem of its response`(_ type: String, _ isProblem: Bool) async {
    let loader = StubLoader()
    let body = #"{"title": "No credit", "status": 403, "detail": "short of s3cr3t-token"}"#
    loader.stub(
      "*", .response(status: 403, headers: [.contentType: type], body: Data(body.utf8)))
    let request = Request.get("a").header(.authorization, "Bearer s3cr3t-token")

    let error = await #expect(throws: LoadError.self) { try await loader.load(.void(request)) }

    #expect((error?.problem != nil) == isProblem)
    if isProblem { #expect(error?.problem?.detail == "short of <redacted>") }
    #expect(error?.serverMessage == "short of <redacted>")
  }
}
