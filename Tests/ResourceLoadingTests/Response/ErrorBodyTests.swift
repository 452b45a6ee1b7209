import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// The errors of a service as values of a type.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ErrorBodyTests {
  private struct Refusal: Decodable, Sendable, Equatable { var errorCode: Int }
  private struct Fault: Decodable, Sendable, Equatable { var reason: String }

  private let transport = StubTransport()

  private func client(_ errorBody: ErrorBody? = nil) -> Client {
    Client(baseURL: URL(string: "https://api.example.org")) { [transport] in
      $0.transport = transport
      $0.decoder.keyDecodingStrategy = .convertFromSnakeCase
      $0.errorBody = errorBody
    }
  }

  private func error<R>(of result: Result<R, any Error>) throws -> LoadError {
    try #require(result.failure as? LoadError)
  }

  @Test(arguments: Form.allCases, [Status.unauthorized, .conflict, .internalServerError])
  func `callers get the server's error in its type`(_ form: Form, _ status: Status) async throws {
    transport.stub("*", .json(#"{"error_code": 7, "message": "No credit"}"#, status: status))
    let resource = Resource<Int>(json: .get("/")).errorBody(.json(Refusal.self))

    let own = try await error(of: form.load(resource, with: client()))
    let clients = try await error(
      of: form.load(Resource<Int>(json: .get("/")), with: client(.json(Refusal.self))))

    for error in [own, clients] {
      #expect(error.errorBody(as: Refusal.self) == Refusal(errorCode: 7))
      #expect(error.response?.status == status)
      #expect(error.serverMessage == "No credit")
      #expect(error.kind == (status == .unauthorized ? .authentication : .status))
    }
  }

  @Test func `the resource's type takes precedence over the client's, also when mapped`()
    async throws
  {
    transport.stub("*", .json(#"{"error_code": 7, "reason": "x"}"#, status: 409))
    let resource = Resource<Int>(json: .get("/")).errorBody(.json(Fault.self)).map { "\($0)" }

    let error = try await error(
      of: Form.await.load(resource, with: client(.json(Refusal.self))))

    #expect(error.errorBody(as: Fault.self) == Fault(reason: "x"))
  }

  @Test func `any parser can read it, and a body of another kind is ignored`() async throws {
    transport.stub("GET /a", .response(status: 500, headers: ["X-Code": "7"]))
    transport.stub("GET /b", .response(status: 502, body: Data("<html>".utf8)))
    transport.stub("GET /c", .json(#"{"errors": [{"error_code": 3}]}"#, status: 400))
    let code = ErrorBody { response in Int(response.headers["X-Code"] ?? "") ?? 0 }

    let a = try await error(of: Form.await.load(.void(.get("/a")), with: client(code)))
    let b = try await error(
      of: Form.await.load(.void(.get("/b")), with: client(.json(Refusal.self))))
    let c = try await error(
      of: Form.await.load(.void(.get("/c")), with: client(.json(Refusal.self, at: "errors.0"))))

    #expect(a.errorBody(as: Int.self) == 7)
    #expect(b.errorBody == nil && b.kind == .status && b.response?.status == 502)
    #expect(c.errorBody(as: Refusal.self) == Refusal(errorCode: 3))
  }

  @Test func `an accepted status isn't read as an error`() async throws {
    transport.stub("*", .json(#"{"error_code": 7}"#))
    let reads = Atomic(0)
    let body = ErrorBody { _ in reads.add(1, ordering: .relaxed).newValue }

    try await client(body).load(.void(.get("/")))
    let error = try await error(
      of: Form.await.load(Resource<Int>(json: .get("/")), with: client(body)))

    #expect(error.kind == .parsing && error.errorBody == nil)
    #expect(reads.load(ordering: .relaxed) == 0)
  }

  @Test func `a load that is cancelled while an error is read ends`() async throws {
    transport.stub("*", .status(500))
    let (begun, gate) = (Gate(), Gate())
    let body = ErrorBody { _ in
      begun.open()
      gate.blockUntilOpen()
    }
    let client = client(body)

    let load = client.promise(for: Resource.void(.get("/")))
    try await begun.opened()
    client.cancelAll()

    await #expect(throws: CancellationError.self) { try await load.get() }
    gate.open()
  }

  enum Domain: Error, Equatable, LocalizedError {
    case empty
    case named(String)

    var errorDescription: String? {
      if case .named(let name) = self { "there is no \(name)" } else { nil }
    }
  }

  @Test(
    arguments: Form.allCases,
    [(Domain.empty, "empty"), (.named("x"), "there is no x")])
  func `an error of the parser is available unchanged with its own text`(
    _ form: Form, _ row: (error: Domain, reason: String)
  ) async throws {
    transport.stub("*", .status(.ok))
    let resource = Resource<Int>(.get("/")) { _ in throw row.error }

    let error = try await error(of: form.load(resource, with: client()))

    #expect(error.underlying as? Domain == row.error)
    #expect(error.kind == .parsing && error.reason == row.reason)
    #expect(error.curlCommand?.contains("https://api.example.org/") == true)
  }
}
