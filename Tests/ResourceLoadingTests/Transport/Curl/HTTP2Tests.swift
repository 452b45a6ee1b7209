#if Curl && os(Linux)
  import Foundation
  import PromiseModule
  import ResourceLoading
  import Synchronization
  import TestSupport
  import Testing

  /// HTTP/2 over TLS with the program `nginx`.
  @Suite(
    .inTurn, .timeLimit(.minutes(10)), .serialized,
    .enabled(if: HTTP2Server.isAvailable, "the programs nginx and openssl aren't installed"))
  struct HTTP2Tests {
    @Test(arguments: [(CurlTransport.HTTPVersion.automatic, "HTTP/2"), (.http1, "HTTP/1.1")])
    func `the highest version that both sides support is used`(
      _ version: CurlTransport.HTTPVersion, _ expected: String
    ) async throws {
      let server = try HTTP2Server()
      defer { server.stop() }
      var configuration = server.authority.trusting
      configuration.httpVersion = version
      let transport = CurlTransport(configuration)
      let versions = Mutex<Set<String?>>([])
      let client = Client(baseURL: server.url) {
        $0.transport = transport
        $0.observer = { event in
          guard case .measured(let metrics) = event.kind else { return }
          versions.withLock { _ = $0.insert(metrics.httpVersion) }
        }
      }

      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<200 {
          group.addTask {
            try await client.load(
              .text(Request(.post, "/\(number)", body: .text("body \(number)"))))
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }

      #expect(texts.count == 200)
      #expect(texts.contains("POST /7"))
      #expect(versions.withLock { $0 } == [expected])
    }

    @Test func `cancelling one stream doesn't affect the others of its connection`() async throws {
      let server = try HTTP2Server()
      defer { server.stop() }
      let transport = CurlTransport(server.authority.trusting)
      let client = Client(baseURL: server.url) { $0.transport = transport }

      let loads = (0..<100).map { client.promise(for: Resource.text(.get("/\($0)"))) }
      for load in loads.enumerated() where load.offset % 2 == 0 { load.element.cancel() }

      for (number, load) in loads.enumerated() {
        guard number % 2 == 1 else { continue }
        #expect(try await load.get() == "GET /\(number)")
      }
    }

    @Test(arguments: [(7, 128), (7, 3), (1, 1), (1000, 2)])
    func `a server that closes connections or has few streams fails none of many requests`(
      _ requests: Int, _ streams: Int
    ) async throws {
      let server = try HTTP2Server(requestsPerConnection: requests, concurrentStreams: streams)
      defer { server.stop() }
      let transport = CurlTransport(server.authority.trusting)
      let client = Client(baseURL: server.url) { $0.transport = transport }

      let failures = await withTaskGroup(of: String?.self) { group in
        for number in 0..<3000 {
          group.addTask {
            do {
              _ = try await client.load(.text(.get("/\(number)")))
              return nil
            } catch {
              return "\(error)"
            }
          }
        }
        return await group.reduce(into: [String]()) { failures, failure in
          if let failure { failures.append(failure) }
        }
      }

      #expect(failures == [])
    }
  }
#endif
