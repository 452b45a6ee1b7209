import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct StubLoaderTests {
  private let loader = StubLoader()
  private let user = Resource.text(.get("/users/1"))

  @Test func `responses are given in turn, and the last one is repeated`() async throws {
    loader.stub(
      "GET /users/1", .response(status: 503), .response(body: Data("a".utf8)),
      .response(body: Data("b".utf8)))

    await #expect(throws: LoadError.self) { try await loader.load(user) }
    var texts: [String] = []
    for _ in 0..<3 { texts.append(try await loader.load(user)) }

    #expect(texts == ["a", "b", "b"])
    #expect(loader.requests.count == 4)
  }

  @Test func `the most specific pattern answers`() async throws {
    loader.stub("*", .value("any"))
    loader.stub("/users/1", .value("path"))
    loader.stub("POST /users/1", .value("method"))

    #expect(try await loader.load(user) == "path")
    #expect(try await loader.load(.text(.post("/users/1"))) == "method")
    #expect(try await loader.load(.text(.get("/other"))) == "any")
  }

  @Test func `every error is a LoadError, as in real loads`() async {
    struct Odd: Error {}
    loader.stub(
      "*", .error(LoadError(.closed, "x")), .error(URLError(.timedOut)), .error(Odd()),
      .error(CancellationError()))

    let errors = await [
      #expect(throws: LoadError.self) { try await loader.load(user) },
      #expect(throws: LoadError.self) { try await loader.load(user) },
      #expect(throws: LoadError.self) { try await loader.load(user) },
    ]
    await #expect(throws: CancellationError.self) { try await loader.load(user) }

    #expect(errors.map { $0?.kind } == [.closed, .timedOut, .connection])
    #expect(errors[2]?.underlying is Odd)
    #expect(errors.allSatisfy { $0?.curlCommand == "curl '/users/1'" })
  }

  @Test(arguments: [
    ("GET /repos/kit/issues", "any segment"), ("GET /repos/swift/issues/7", "two segments"),
    ("POST /repos/swift/issues", "any segment, by method"), ("GET /repos/a/b/issues", "any"),
    ("GET /repos/swift/pulls", "literal before wildcard"),
    ("GET /repos/swift/issues", "literal before wildcard"), ("GET /repos/nio/pulls", "pulls"),
    ("GET /repos/vapor/issues", "exact"), ("GET /repos//issues", "any"),
  ])
  func `a star matches one segment`(_ request: String, _ answer: String) async throws {
    loader.stub("*", .value("any"))
    loader.stub("/repos/*/issues", .value("any segment"))
    loader.stub("POST /repos/*/issues", .value("any segment, by method"))
    loader.stub("/repos/*/issues/*", .value("two segments"))
    loader.stub("/repos/*/pulls", .value("pulls"))
    loader.stub("/repos/swift/*", .value("literal before wildcard"))
    loader.stub("GET /repos/vapor/issues", .value("exact"))
    let words = request.split(separator: " ").map(String.init)
    let path = RequestPath(words[1])

    let value = try await loader.load(.text(words[0] == "GET" ? .get(path) : .post(path)))

    #expect(value == answer)
  }

  @Test func `a request that isn't stubbed and a value of another type fail with clear errors`()
    async
  {
    let unknown = await #expect(throws: LoadError.self) { try await loader.load(user) }
    loader.stub("*", .value(7))
    let mistyped = await #expect(throws: LoadError.self) { try await loader.load(user) }

    #expect(unknown?.reason == "the stub loader has no answer to GET /users/1: it has no patterns")
    #expect(mistyped?.reason == "the stub for this request holds a Int, not a String")
  }

  @Test(arguments: [
    (["/users/*", "/repos/*"], "/users/1/repos", "/users/*"),
    (["/users/1", "/users/2/repos"], "/users/3/repos", "/users/2/repos"),
    (["POST /users/1", "/about"], "/users/1", "POST /users/1"),
    (["/users?page=2", "/about"], "/users", "/users?page=2"),
    (["users/1", "/about"], "/users/1", "users/1"),
  ])
  func `the error of an unknown request names the nearest pattern and explains stars`(
    _ patterns: [String], _ path: String, _ nearest: String
  ) async {
    for pattern in patterns { loader.stub(pattern, .json("{}")) }

    let error = await #expect(throws: LoadError.self) {
      try await loader.load(.text(.get(RequestPath(path))))
    }

    #expect(error?.reason.hasSuffix("the nearest of its 2 patterns is \"\(nearest)\"") == true)
    #expect(error?.advice?.contains("stands for one segment") == true)
    #expect(error?.advice?.contains("a path without a query") == true)
  }

  @Test func `resources without a decoder use the loader's`() async throws {
    struct Item: Codable, Sendable, Equatable { var firstName: String }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let loader = StubLoader(decoder: decoder)
    loader.stub("*", .json(#"{"first_name": "Ada"}"#))

    let item = try await loader.load(Resource<Item>(json: .get("/")))
    await #expect(throws: LoadError.self) {
      try await loader.load(Resource<Item>(json: .get("/"), decoder: JSONDecoder()))
    }

    #expect(item == Item(firstName: "Ada"))
  }

  @Test func `the given clock measures a delay`() async throws {
    let clock = ManualClock()
    loader.stub("*", .value("late").delayed(by: .seconds(3_600), clock: clock))

    let task = Task { [loader, user] in try await loader.load(user) }
    try await clock.waitForSleepers(count: 1)
    clock.advance(by: .seconds(3_600))

    #expect(try await task.value == "late")
  }

  @Test func `a cancelled load doesn't wait for its delay`() async throws {
    let gate = Gate()
    loader.stub("*", .value("never").waiting(for: gate))

    let task = Task { [loader, user] in try await loader.load(user) }
    try await gate.waitForArrivals(count: 1)
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
