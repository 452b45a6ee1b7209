import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import TestSupport
import Testing

/// Removing stored responses, and those on their way.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RemovingTests {
  typealias Service = CachedService

  enum Removal: CaseIterable {
    case everything, url, credentials, partition

    func carryOut(_ cache: HTTPCache) async throws {
      switch self {
      case .everything: try await cache.removeAll()
      case .url: try await cache.remove(URL(string: "https://api.example.org/a")!)
      case .credentials: try await cache.removeCredentials()
      case .partition: try await cache.remove(CachePartition(headers: [.authorization: "x"]))
      }
    }
  }

  /// The remaining responses: `/a` of nobody, of x and of y, and `/b` of x.
  static let left: [(removal: Removal, left: [Bool])] = [
    (.everything, [false, false, false, false]), (.url, [false, false, false, true]),
    (.credentials, [true, false, false, false]), (.partition, [true, false, true, false]),
  ]

  @Test(arguments: Storage.allCases, left.indices)
  func `logging out removes the responses to credentials, and keeps anonymous ones`(
    _ storage: Storage, row: Int
  ) async throws {
    let service = Service(try storage.make())
    service.transport.stub("*", Service.fresh("one"))
    let requests: [(RequestPath, Headers)] = [
      ("/a", [:]), ("/a", [.authorization: "x"]), ("/a", [.authorization: "y"]),
      ("/b", [.authorization: "x"]),
    ]
    for (path, headers) in requests { _ = try await service.load(path, headers) }

    try await Self.left[row].removal.carryOut(service.cache)

    var left: [Bool] = []
    for (path, headers) in requests {
      left.append(try await service.load(path, headers).source.hasPrefix("from the cache"))
    }
    #expect(left == Self.left[row].left)
  }

  @Test(arguments: Storage.allCases, Removal.allCases)
  func `a load that runs during a removal isn't stored after it`(
    _ storage: Storage, _ removal: Removal
  ) async throws {
    let (service, gate) = (Service(try storage.make()), Gate())
    service.transport.stub("*", Service.fresh("early").waiting(for: gate), Service.fresh("late"))
    async let early = service.load("/a", [.authorization: "x"])
    try await service.transport.waitForRequests(count: 1)

    try await removal.carryOut(service.cache)
    gate.open()

    #expect(try await early.text == "early")
    #expect(try await service.load("/a", [.authorization: "x"]).text == "late")
  }

  @Test func `a 304 that arrives after a removal stores nothing`() async throws {
    let (service, gate) = (Service(), Gate())
    service.transport.stub(
      "*", Service.fresh("one", [.eTag: "\"1\""]),
      Service.fresh("", [.eTag: "\"1\"", .cacheControl: "max-age=60"], status: 304)
        .waiting(for: gate), Service.fresh("two"))
    _ = try await service.load("/a")
    async let second = service.load("/a")
    try await service.transport.waitForRequests(count: 2)

    try await service.cache.removeAll()
    gate.open()

    #expect(try await second.text == "one")
    #expect(try await service.load("/a").text == "two")
  }
}
