import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct FaultTolerantStorageTests {
  typealias Service = CachedService

  private func service() -> (Service, FaultyStorage) {
    let storage = FaultyStorage()
    let service = Service(storage)
    let bodies = Counter()
    service.transport.stub("GET /fresh") { _ in Service.fresh("\(bodies.next())") }
    service.transport.stub("POST /fresh", .status(204))
    return (service, storage)
  }

  @Test
  func `a failed operation of the storage doesn't fail a load, and is reported to the observer`()
    async throws
  {
    for operation in FaultyStorage.Operation.allCases {
      let (service, storage) = service()
      _ = try await service.load("/fresh")
      storage.fail([operation])

      _ = try await service.load("/fresh")
      try await service.client.load(.void(Request(.post, "/fresh")))
      _ = try await service.load("/fresh")

      #expect(service.failures.allSatisfy { $0.contains("Fault") } && !service.failures.isEmpty)
    }
  }

  @Test func `a response that couldn't be removed isn't used, and is removed as soon as possible`()
    async throws
  {
    let (service, storage) = service()
    #expect(try await service.load("/fresh").text == "1")
    storage.fail([.removing])

    try await service.client.load(.void(Request(.post, "/fresh")))
    #expect(try await service.load("/fresh").text == "2")
    #expect(try await service.load("/fresh").text == "3")
    storage.fail([])

    #expect(try await service.load("/fresh").text == "4")
    #expect(
      try await service.load("/fresh") == Loaded(text: "4", source: "from the cache, 0 ms old"))
  }

  @Test func `a failed removal throws an error, and its responses aren't used`() async throws {
    let (service, storage) = service()
    _ = try await service.load("/fresh", [.authorization: "a"])
    _ = try await service.load("/fresh")
    storage.fail([.removing])

    await #expect(throws: FaultyStorage.Fault.self) { try await service.cache.removeCredentials() }

    #expect(try await service.load("/fresh", [.authorization: "a"]).source == "from the server")
    #expect(try await service.load("/fresh").source.hasPrefix("from the cache"))
  }

  @Test func `a response that couldn't be replaced is no longer used`() async throws {
    let (service, storage) = service()
    #expect(try await service.load("/fresh").text == "1")
    storage.fail([.storing])

    #expect(try await service.load(.get("/fresh").cachePolicy(.networkOnly)).text == "2")

    // Neither the first one, which is older than a response that was used, nor the one that wasn't
    // stored.
    #expect(try await service.load("/fresh").text == "3")
  }

  @Test func `after many failed removals the storage is emptied`() async throws {
    let (service, storage) = service()
    storage.fail([.removing])
    for number in 0..<4100 {
      try? await service.cache.remove(URL(string: "https://api.example.org/\(number)")!)
    }
    _ = try await service.load("/fresh")
    storage.fail([])
    let before = storage.count(of: .removing)

    _ = try await service.load("/fresh")
    #expect(try await service.load("/fresh").source.hasPrefix("from the cache"))

    #expect(storage.count(of: .removing) - before <= 50)
  }
}
