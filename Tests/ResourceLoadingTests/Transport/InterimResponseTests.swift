import Foundation
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

/// What comes before the head of a response and behind its body.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct InterimResponseTests {
  private func response(
    of script: Script, over engine: Engine, _ body: Data? = nil
  ) async throws -> (response: Response, interim: [ResponseHead]) {
    let server = try LoopbackServer { LoopbackRoute("*", answers: .beforeBody) { _ in script } }
    defer { server.stop() }
    let heads = Mutex<[ResponseHead]>([])
    let request = Request(
      body == nil ? .get : .post, url: server.url(), body: body.map { .data($0) })
    let context = LoadContext(
      request, timeout: nil, interim: { head, _ in heads.withLock { $0.append(head) } })
    let runner = ExchangeRunner(transport: engine.makeTransport())
    return (try await runner.respond(to: request, in: context), heads.withLock(\.self))
  }

  @Test(arguments: Engine.allCases)
  func `interim responses are delivered where the transport says so`(
    _ engine: Engine
  ) async throws {
    let (response, interim) = try await response(
      of: [
        .informational(103, headers: ["Link": "</style.css>"]),
        .informational(104, headers: ["Location": "/uploads/1"]),
        .informational(104, headers: ["Upload-Offset": "5"]), .response(body: "done"),
      ], over: engine)

    #expect(try response.text() == "done")
    if engine.makeTransport().deliversInterimResponses {
      #expect(interim.map(\.status) == [103, 104, 104])
      #expect(interim.last?.headers["Upload-Offset"] == "5")
    } else {
      #expect(interim.isEmpty)
    }
  }

  @Test(arguments: Engine.allCases)
  func `interim responses arrive while the body is still being sent`(
    _ engine: Engine
  ) async throws {
    let (response, interim) = try await response(
      of: [
        .readBody(upTo: 1000), .informational(104, headers: ["Location": "/uploads/1"]), .readBody,
        .response(body: "done"),
      ], over: engine, Data(count: 2_000_000))

    #expect(try response.text() == "done")
    #expect(interim.count == (engine.makeTransport().deliversInterimResponses ? 1 : 0))
  }

  // On Linux a URLSession ends the process when trailers arrive.
  @Test(arguments: Engine.allCases.filter { $0.makeTransport().deliversInterimResponses })
  func `trailers are those of the response`(_ engine: Engine) async throws {
    let (response, _) = try await response(
      of: .chunked(["a", "b"], trailers: ["Repr-Digest": "x", "Server-Timing": "db;dur=5"]),
      over: engine)

    #expect(try response.text() == "ab")
    #expect(response.headers["Repr-Digest"] == nil)
    #expect(response.trailers["Repr-Digest"] == "x")
    #expect(response.trailers["Server-Timing"] == "db;dur=5")
  }
}
