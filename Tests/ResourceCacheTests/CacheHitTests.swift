import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

/// In which task a cache answers.
@Suite(.timeLimit(.minutes(5)))
struct CacheHitTests {
  /// A storage of somebody else's, for which a load may have to wait.
  private final class OtherStorage: ResponseStorage {
    private let memory = MemoryResponseStorage()

    func responses(for key: CacheKey) async -> [StoredResponse] { memory.responses(for: key) }
    func mark() async -> RemovalMark { memory.mark() }
    func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async {
      memory.store(response, for: key, since: mark)
    }
    func remove(_ scope: CacheScope) async { memory.remove(scope) }
  }

  /// The tasks in which a stage behind a cache is asked what it would add.
  private struct Witness: Middleware {
    let tasks: Tasks

    var isTransparent: Bool { true }

    func credentialed(_ request: Request, next: Next) -> Request {
      tasks.note()
      return request
    }

    func respond(to request: Request, next: Next) async throws -> Response {
      try await next(request)
    }
  }

  private final class Tasks: Sendable {
    private let seen = Mutex<Set<Int>>([])

    static var current: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

    func note() { _ = seen.withLock { $0.insert(Self.current) } }

    func take() -> Set<Int> {
      seen.withLock { seen in
        defer { seen = [] }
        return seen
      }
    }
  }

  @Test(arguments: [false, true])
  func `a hit in memory is answered in the task of its caller`(_ isTiered: Bool) async throws {
    let tasks = Tasks()
    let transport = StubTransport()
    transport.stub("*", .response(headers: [.cacheControl: "max-age=60"], body: Data("a".utf8)))
    let cache = isTiered ? HTTPCache(.memory(), before: OtherStorage()) : HTTPCache(.memory())
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.middleware = [cache, Witness(tasks: tasks)]
    }
    // The first is stored, the second comes forward.
    for _ in 0..<2 { _ = try await client.load(.text(.get("/"))) }
    _ = tasks.take()

    let text = try await client.load(.text(.get("/")))

    #expect(text == "a" && transport.requests.count == 1)
    #expect(tasks.take() == [Tasks.current])
  }

  /// A storage that can answer at once.
  private final class QuickStorage: ResponseStorage {
    private let memory = MemoryResponseStorage()
    let reads = Mutex(0)

    func immediateResponses(for key: CacheKey) -> [StoredResponse]? { memory.responses(for: key) }
    func responses(for key: CacheKey) async -> [StoredResponse] {
      reads.withLock { $0 += 1 }
      return memory.responses(for: key)
    }
    func mark() async -> RemovalMark { memory.mark() }
    func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async {
      memory.store(response, for: key, since: mark)
    }
    func remove(_ scope: CacheScope) async { memory.remove(scope) }
  }

  @Test(arguments: [false, true])
  func `a storage that answers at once isn't waited for`(_ isTiered: Bool) async throws {
    let storage = QuickStorage()
    let transport = StubTransport()
    transport.stub("*", .response(headers: [.cacheControl: "max-age=60"], body: Data("a".utf8)))
    let cache = isTiered ? HTTPCache(.memory(), before: storage) : HTTPCache(storage)
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.middleware = [cache]
    }

    for _ in 0..<3 { _ = try await client.load(.text(.get("/"))) }

    #expect(transport.requests.count == 1)
    #expect(storage.reads.withLock(\.self) == 0)
  }
}
