// What the library's trait adds isn't there when all packages are typechecked.
#if Valkey
  import CBare
  import Foundation
  import ResourceCache
  import ResourceLoading
  import ResourceValkey

  /// `Valkey SOCKET COUNT ROUNDS`: the time of a hit beside that of a bare `GET` by hiredis, one after
  /// the other and 64 at a time.
  @main
  enum Main {
    static func main() async throws {
      let arguments = CommandLine.arguments
      guard arguments.count == 4, let count = Int(arguments[2]), let rounds = Int(arguments[3])
      else {
        print("usage: Valkey SOCKET COUNT ROUNDS")
        exit(64)
      }
      let storage = ValkeyResponseStorage(ValkeyServer(.unixSocket(arguments[1])))
      for size in [1000, 64_000] {
        let key = CacheKey(
          url: "https://example.org/\(size)", partition: CachePartition(name: ""))
        try await storage.store(response(of: size), for: key, since: storage.mark())
        var ratios: [Double] = []
        var shared: [Double] = []
        for _ in 0..<rounds {
          let bare = bare_gets(arguments[1], size, count) / Double(count) * 1e6
          let hit = try await microseconds(storage, key, count, tasks: 1)
          let together = try await microseconds(storage, key, count, tasks: 64)
          ratios.append(hit / bare)
          shared.append(together / bare)
          print(
            String(
              format: "%6d bytes: GET %.1f µs, hit %.1f µs, one of 64 hits %.1f µs",
              size, bare, hit, together))
        }
        let (alone, beside) = (ratios.sorted()[rounds / 2], shared.sorted()[rounds / 2])
        print(
          String(
            format: "%6d bytes: a hit alone %.2f times a GET, one of 64 %.2f times (goal: 1.3)",
            size, alone, beside))
      }
    }

    private static func response(of size: Int) throws -> StoredResponse {
      guard let url = URL(string: "https://example.org/\(size)") else { throw CancellationError() }
      let response = Response(
        url: url, headers: [.cacheControl: "max-age=600"],
        body: Data(repeating: UInt8(ascii: "x"), count: size))
      return StoredResponse(
        response, selectingHeaders: [:], requestDate: Date(), responseDate: Date())
    }

    private static func microseconds(
      _ storage: ValkeyResponseStorage, _ key: CacheKey, _ count: Int, tasks: Int
    ) async throws -> Double {
      let start = ContinuousClock.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<tasks {
          group.addTask {
            for _ in 0..<count / tasks {
              guard try await storage.responses(for: key).count == 1 else {
                throw CancellationError()
              }
            }
          }
        }
        try await group.waitForAll()
      }
      return start.duration(to: .now) / .microseconds(1) / Double(count / tasks * tasks)
    }
  }
#endif
