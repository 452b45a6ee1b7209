import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn)
struct GraphQLTests {
  private struct Viewer: Decodable, Hashable { var login: String }
  private struct Root: Decodable, Hashable { var viewer: Viewer? }

  private static let operation = GraphQLOperation(
    "query Q { viewer { login } }", variables: ["id": 1], operationName: "Q")

  private func load<R>(
    _ resource: Resource<R>, _ body: String, status: Status = .ok,
    type: String = "application/graphql-response+json"
  ) async throws -> R {
    let loader = StubLoader()
    loader.stub(
      "*", .response(status: status, headers: [.contentType: type], body: Data(body.utf8)))
    return try await loader.load(resource)
  }

  @Test func `an operation is sent as JSON and accepts a GraphQL result`() throws {
    struct Variables: Encodable { var login = "octocat" }
    let plain = GraphQLOperation("{ a }")
    let typed = GraphQLOperation("{ a }", variables: Variables())
    let mixed = GraphQLOperation(
      "{ a }", variables: ["login": "octocat", "first": 3, "after": nil])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys

    let texts = try [plain, typed, mixed, Self.operation].map {
      String(decoding: try Request.Body.graphQL($0).data(encoder: encoder), as: UTF8.self)
    }

    #expect(
      texts == [
        #"{"query":"{ a }"}"#, #"{"query":"{ a }","variables":{"login":"octocat"}}"#,
        #"{"query":"{ a }","variables":{"after":null,"first":3,"login":"octocat"}}"#,
        #"{"operationName":"Q","query":"query Q { viewer { login } }","variables":{"id":1}}"#,
      ])
    let request = Resource<Root>.graphQL(plain, to: .post("graphql")).request
    #expect(request.headers[.accept] == "application/graphql-response+json, application/json;q=0.9")
    #expect(request.body?.mediaType == .json)
    #expect(
      mixed == GraphQLOperation("{ a }", variables: ["login": "octocat", "first": 3, "after": nil]))
  }

  @Test func `a key strategy leaves the names of variables in a dictionary as they are`() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    let operation = GraphQLOperation(
      "query ($userID: Int) { user(id: $userID) { login } }",
      variables: ["userID": 1] as [String: Int])

    let data = try Request.Body.graphQL(operation).data(encoder: encoder)

    let text = String(decoding: data, as: UTF8.self)
    #expect(text.hasSuffix(#""variables":{"userID":1}}"#), "\(text)")
  }

  @Test func `data is unwrapped`() async throws {
    let body = #"{"data": {"viewer": {"login": "octocat"}}}"#
    let request = Request.post("graphql")

    let root = try await load(Resource<Root>.graphQL(Self.operation, to: request), body)
    let viewer = try await load(
      Resource<Viewer>.graphQL(Self.operation, to: request, at: "viewer"), body)
    let none = try await load(
      Resource<Viewer?>.graphQL(Self.operation, to: request, at: "viewer"),
      #"{"data": {"viewer": null}}"#,
      type: "application/json")

    #expect(root.viewer == viewer && viewer.login == "octocat")
    #expect(none == nil)
  }

  @Test func `partial data comes with its errors`() async throws {
    let body = #"""
      {"data": {"viewer": null}, "extensions": {"cost": 3}, "errors": [{"message": "No viewer",
       "locations": [{"line": 1, "column": 11}], "path": ["viewer", 0, "login"],
       "extensions": {"code": "GONE"}}, {"message": "Other", "path": 7, "locations": "no"}]}
      """#

    let result = try await load(
      Resource<GraphQLResponse<Root>>.graphQL(Self.operation, to: .post("graphql")), body)

    #expect(result.data == Root(viewer: nil))
    #expect(result.extensions?["cost"]?.integer == 3)
    let error = try #require(result.errors.first)
    #expect(error.locations.first?.line == 1 && error.locations.first?.column == 11)
    #expect(error.path == [.field("viewer"), .index(0), .field("login")])
    #expect(error.extensions?["code"]?.string == "GONE")
    #expect(result.errors.map(\.description) == ["No viewer (viewer[0].login)", "Other"])
  }

  @Test func `errors end the load of plain data and carry the messages`() async throws {
    let body =
      #"{"data": {"viewer": {"login": "x"}}, "errors": [{"message": "A"}, {"message": "B", "path": ["v"]}]}"#

    let error = await #expect(throws: LoadError.self) {
      try await load(Resource<Root>.graphQL(Self.operation, to: .post("graphql")), body)
    }

    #expect(error?.kind == .graphQL)
    #expect(error?.serverMessage == "A; B (v)")
    #expect(error?.graphQLErrors.map(\.message) == ["A", "B"])
    #expect(error?.description.contains("server says: A; B (v)") == true)
  }

  @Test func `a message is truncated by scalars, because a character has any number of them`()
    async throws
  {
    let long = "a" + String(repeating: "\u{301}", count: 10_000)

    let reported = await #expect(throws: LoadError.self) {
      try await load(
        Resource<Root>.graphQL(Self.operation, to: .post("graphql")),
        #"{"errors": [{"message": "\#(long)"}]}"#)
    }
    let refused = await #expect(throws: LoadError.self) {
      try await load(Resource.void(.get("/")), #"{"message": "\#(long)"}"#, status: 500)
    }

    for error in [reported, refused] {
      #expect(error?.serverMessage?.unicodeScalars.count == 501)
    }
  }

  @Test(arguments: [400, 401, 500])
  func `a status that isn't accepted keeps the errors`(_ status: Int) async throws {
    let body = #"{"errors": [{"message": "Syntax error"}]}"#
    let partial = Resource<GraphQLResponse<Root>>.graphQL(Self.operation, to: .post("graphql"))
    let whole = Resource<Root>.graphQL(Self.operation, to: .post("graphql"))

    let one = await #expect(throws: LoadError.self) {
      try await load(partial, body, status: Status(rawValue: status))
    }
    let other = await #expect(throws: LoadError.self) {
      try await load(whole, body, status: Status(rawValue: status))
    }

    for error in [one, other] {
      #expect(error?.kind == (status == 401 ? .authentication : .status))
      #expect(error?.graphQLErrors.map(\.message) == ["Syntax error"])
      #expect(error?.serverMessage == "Syntax error")
    }
  }

  @Test func `an error without a message is still an error`() async throws {
    let body =
      #"{"data": {"viewer": {"login": "x"}}, "errors": [{"message": "A"}, {"code": 1}, "B"]}"#
    let whole = Resource<Root>.graphQL(Self.operation, to: .post("graphql"))

    let error = await #expect(throws: LoadError.self) { try await load(whole, body) }

    #expect(error?.kind == .graphQL)
    #expect(error?.graphQLErrors.map(\.message) == ["A", "an error without a message", "B"])
  }

  @Test(arguments: [#"{"message": "A"}"#, #""A""#])
  func `an error without a list is still an error`(_ error: String) async throws {
    let body = #"{"data": {"viewer": {"login": "x"}}, "errors": \#(error)}"#
    let whole = Resource<Root>.graphQL(Self.operation, to: .post("graphql"))

    let error = await #expect(throws: LoadError.self) { try await load(whole, body) }

    #expect(error?.graphQLErrors.map(\.message) == ["A"])
  }

  @Test(.timeLimit(.minutes(10)))
  func `deep extensions and messages take linear time`() async throws {
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    let many = Array(repeating: deep, count: 100).joined(separator: ",")
    let body = #"{"errors": [{"message": "A", "extensions": [\#(many)]}], "detail": [\#(many)]}"#
    let whole = Resource<JSONValue>.graphQL(Self.operation, to: .post("graphql"))

    let one = await #expect(throws: LoadError.self) { try await load(whole, body) }
    let other = await #expect(throws: LoadError.self) { try await load(whole, body, status: 500) }

    #expect(one?.serverMessage == "A" && other?.serverMessage == "A")
  }

  @Test func `any JSON can be data, complete or partial`() async throws {
    let whole = Resource<JSONValue>.graphQL(Self.operation, to: .post("graphql"), at: "viewer")
    let partial = Resource<GraphQLResponse<JSONValue>>.graphQL(
      Self.operation, to: .post("graphql"))
    let body = #"{"data": {"viewer": {"login": "x"}}}"#

    #expect(try await load(whole, body) == ["login": "x"])
    #expect(try await load(partial, body).data == ["viewer": ["login": "x"]])
    let error = #"{"data": null, "errors": [{"message": "A"}]}"#
    #expect(try await load(partial, error).data == nil)
  }

  @Test func `if every status is accepted, the errors with any status are a result`() async throws {
    var partial = Resource<GraphQLResponse<Root>>.graphQL(Self.operation, to: .post("graphql"))
    partial.request.options.acceptedStatuses = .any
    let resource = partial

    let result = try await load(resource, #"{"errors": [{"message": "Bad"}]}"#, status: 400)
    let error = await #expect(throws: LoadError.self) {
      try await load(resource, "<html>", status: 502, type: "text/html")
    }

    #expect(result.data == nil && result.errors.map(\.message) == ["Bad"])
    #expect(error?.kind == .status)
  }

  @Test(arguments: ["{}", #"{"errors": []}"#, "[]", "", "<html>", #"{"data": {"viewer": 1}}"#])
  func `anything but a GraphQL result is a parsing failure`(_ body: String) async {
    for load in [
      { try await self.load(Resource<Root>.graphQL(Self.operation, to: .post("g")), body).viewer },
      {
        try await self.load(
          Resource<GraphQLResponse<Root>>.graphQL(Self.operation, to: .post("g")), body
        ).data?.viewer
      },
    ] as [() async throws -> Viewer?] {
      let error = await #expect(throws: LoadError.self) { try await load() }
      #expect(error?.kind == .parsing)
    }
  }

  @Test func `the error of data that doesn't decode has the path and the server's message`() async {
    let body = #"{"data": {"viewer": {"login": null}}, "errors": [{"message": "login failed"}]}"#

    let error = await #expect(throws: LoadError.self) {
      try await load(Resource<GraphQLResponse<Root>>.graphQL(Self.operation, to: .post("g")), body)
    }

    #expect(error?.parsing?.path == "data.viewer.login")
    #expect(error?.serverMessage == "login failed")
  }
}
