import Foundation
import PromiseModule
import ResourceTesting
import Synchronization
import TestSupport
import Testing
import UploadTestSupport

@testable import ResourceLoading

/// What is stored of an upload before anything is sent that depends on it.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct StoredUploadTests {
  private let directory = TemporaryDirectory()

  private func request(
    _ content: Data, _ save: @escaping @Sendable (UploadRecord) async throws -> Void
  ) throws -> Request {
    let file = directory.url.appending(path: "a.bin")
    try content.write(to: file)
    var request = Request.upload(.post("/files"), file: file, resuming: .tus)
    request.upload?.journal = UploadJournal(nil, strategies: [:], mayRepeat: false, save: save)
    return request
  }

  @Test(arguments: [100_000, 3_000_000], Engine.allCases)
  func `the last byte isn't sent if it can't be stored that it is`(
    _ size: Int, _ engine: Engine
  ) async throws {
    let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let uploads = UploadServer(.tus, isGentle: engine == .urlSession)
    let server = try uploads.start()
    defer { server.stop() }
    let request = try request(content) { record in
      guard record.mayBeComplete else { return }
      throw LoadError(.store, "the disk is full")
    }

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine, baseURL: server.url()).load(.void(request))
    }

    #expect(error?.reason == "the disk is full")
    #expect(uploads.objects.isEmpty)
    #expect(server.requests.allSatisfy { $0.bodyLength < size })
  }

  @Test(arguments: Engine.allCases)
  func `nothing is sent if nothing can be stored`(_ engine: Engine) async throws {
    let uploads = UploadServer(.tus)
    let server = try uploads.start()
    defer { server.stop() }
    let request = try request(UploadServer.content) { _ in
      throw LoadError(.store, "the disk is full")
    }

    await #expect(throws: LoadError.self) {
      try await Client(engine, baseURL: server.url()).load(.void(request))
    }

    #expect(server.requests.isEmpty)
  }

  @Test(arguments: Engine.allCases.filter { $0.makeTransport().canDelayBodies })
  func `the last bytes of a body wait until they may be sent`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*", .response(body: "done")) }
    defer { server.stop() }
    let content = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let end = Mutex((mayPass: false, questions: 0))
    let refused = Promise<@Sendable () -> Void>.pending()
    let refusedAgain = Promise<@Sendable () -> Void>.pending()
    var body = WireBody(content)
    body.source.check = { remaining, resume in
      guard remaining == 0, let resume else { return true }
      let (mayPass, questions) = end.withLock { end in
        end.questions += 1
        return end
      }
      if !mayPass { (questions == 1 ? refused : refusedAgain).resolver.fulfill(resume) }
      return mayPass
    }
    var request = Request(.post, url: server.url())
    request.body = .pieces(body, as: nil)
    let runner = ExchangeRunner(transport: engine.makeTransport())
    let load = Task { [request] in
      try await runner.respond(to: request, in: LoadContext(request, timeout: nil))
    }

    let resume = try await refused.promise.get()
    resume()
    let resumeAgain = try await refusedAgain.promise.get()
    end.withLock { $0.mayPass = true }
    resumeAgain()
    let response = try await load.value

    #expect(try response.text() == "done")
    #expect(server.requests.map(\.body) == [content])
    #expect(end.withLock(\.questions) == 3)
  }
}
