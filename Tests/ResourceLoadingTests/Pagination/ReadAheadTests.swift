import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ReadAheadTests {
  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /n") { _ in
        .response(headers: ["Link": "</n/2>; rel=\"next\""], body: "[1, 2]")
      }
      LoopbackRoute("GET /n/2") { _ in
        .response(headers: ["Link": "</n/3>; rel=\"next\""], body: "[3]")
      }
      LoopbackRoute("GET /n/3") { _ in .response(body: "[]") }
      LoopbackRoute("GET /first") { _ in
        .response(headers: ["Link": "</silence>; rel=\"next\""], body: "[1]")
      }
      LoopbackRoute("*") { _ in .silence }
    }
  }

  @Test(arguments: Means.allCases)
  func `all elements arrive with any loader`(_ means: Means) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let resource = Resource<[Int]>(json: server.url("/n"))

    var elements: [Int] = []
    for try await element in means.makeLoader().pages(of: resource, by: .link).elements {
      elements.append(element)
    }

    #expect(elements == [1, 2, 3])
  }

  @Test(arguments: Means.allCases)
  func `the next page is read ahead, and cancelled when the iteration ends`(
    _ means: Means
  )
    async throws
  {
    let server = try makeServer()
    defer { server.stop() }
    let resource = Resource<[Int]>(json: server.url("/first"))

    for try await page in means.makeLoader().pages(of: resource, by: .link) {
      #expect(page == [1])
      _ = try await server.waitForRequests(count: 2)
      break
    }

    try await server.waitForDisconnects(count: 1)
  }

  @Test(arguments: Means.allCases)
  func `without reading ahead no page is requested early`(_ means: Means) async throws {
    let server = try makeServer()
    defer { server.stop() }
    var options = PagingOptions()
    options.readsAhead = false
    let resource = Resource<[Int]>(json: server.url("/n"))
    var iterator = means.makeLoader().pages(of: resource, by: .link, options: options)
      .makeAsyncIterator()

    for count in 1...3 {
      _ = try await iterator.next()
      #expect(server.requests.count == count)
    }
  }

  @Test(arguments: Means.allCases)
  func `cancelling the task ends the wait for a page`(_ means: Means) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let resource = Resource<[Int]>(json: server.url("/first"))
    let session = means.makeLoader()

    let task = Task {
      for try await _ in session.pages(of: resource, by: .link) {}
    }
    _ = try await server.waitForRequests(count: 2)
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    try await server.waitForDisconnects(count: 1)
  }
}
