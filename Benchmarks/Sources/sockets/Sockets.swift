import CAllocations
import Foundation
import ResourceLoading
import ResourceTesting

/// Opens many sockets, and says what they cost; or cancels many at random moments, and says what
/// became of them.
///
///     BENCHMARK_SERVER=URL sockets idle COUNT
///     BENCHMARK_SERVER=URL sockets cancels COUNT [SEED]
///
/// `serve` is the server. Both need more than COUNT descriptors: see `ulimit -n`.
@main
enum Sockets {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count >= 3, let count = Int(words[2]), count > 0,
      let url = ProcessInfo.processInfo.environment["BENCHMARK_SERVER"].flatMap(URL.init(string:))
    else {
      print("usage: BENCHMARK_SERVER=URL sockets idle|cancels COUNT [SEED]")
      exit(64)
    }
    let request = Request.get(url.appending(path: "echo"))
    if words[1] == "idle" {
      try await stayIdle(count, request)
    } else {
      let seed = words.count > 3 ? UInt64(words[3]) : nil
      try await cancel(count, request, seed: seed ?? .random(in: 0 ... .max))
    }
  }
}

// MARK: - Idle sockets

extension Sockets {
  private static func stayIdle(_ count: Int, _ request: Request) async throws {
    let transport = StubTransport()
    transport.stub("*", .socket())
    // Each of them is a connection.
    var limits = CurlTransport.Configuration()
    (limits.maximumConnections, limits.maximumConnectionsPerHost) = (2 * count, 2 * count)
    let network = CurlTransport(limits)
    for (name, client) in [
      ("without a network", client { $0.transport = transport }),
      ("over libcurl", client { $0.transport = network }),
    ] {
      // What is made once.
      _ = try await client.socket(request).connect()
      let before = resident
      allocations_begin()
      var connections: [WebSocket.Connection] = []
      for _ in stride(from: 0, to: count, by: 50) {
        connections += try await withThrowingTaskGroup(of: WebSocket.Connection.self) { group in
          for _ in 0..<min(50, count - connections.count) {
            group.addTask { try await client.socket(request).connect() }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
      }
      let heap = allocations_end().live
      print(
        "\(connections.count) idle sockets \(name): \(heap / count) bytes of the heap each,",
        "\((resident - before) / count) of resident memory")
      for index in stride(from: 0, to: count, by: max(1, count / 10)) {
        try await connections[index].ping()
      }
      connections = []
    }
  }

  private static func client(_ change: (inout Client.Configuration) -> Void) -> Client {
    Client {
      ($0.maximumRequests, $0.maximumRequestsPerHost) = (nil, nil)
      change(&$0)
    }
  }

  private static var resident: Int {
    let statm = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return statm.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
  }
}

// MARK: - Cancelling

extension Sockets {
  private static func cancel(_ count: Int, _ request: Request, seed: UInt64) async throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let client = client { _ in }
    let socket = client.socket(request) { $0.closeTimeout = .milliseconds(100) }
    try await socket.withConnection { try await $0.ping() }
    let descriptors = descriptorCount
    var outcomes: [String: Int] = [:]
    for number in 0..<count {
      let yields = Int.random(in: 0...800, using: &random)
      let task = Task { try await talk(number, over: socket) }
      for _ in 0..<yields { await Task.yield() }
      task.cancel()
      let outcome =
        switch await task.result {
        case .success: "done"
        case .failure(let error) where error is CancellationError: "cancelled"
        case .failure(let error): "failed: \(error)"
        }
      outcomes[outcome, default: 0] += 1
    }
    try await socket.withConnection { try await $0.ping() }
    for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) { print(count, outcome) }
    for _ in 0..<100 where descriptorCount > descriptors {
      try await Task.sleep(for: .milliseconds(50))
    }
    print("descriptors before and after: \(descriptors), \(descriptorCount)")
  }

  /// Twenty echoes, each of which is the right one.
  private static func talk(_ number: Int, over socket: WebSocket) async throws {
    try await socket.withConnection { connection in
      var messages = connection.messages.makeAsyncIterator()
      for count in 0..<20 {
        let text = WebSocket.Message.text("\(number) \(count)")
        try await connection.send(text)
        let answer = try await messages.next()
        precondition(answer == text || Task.isCancelled, "\(answer as Any) isn't \(text)")
      }
    }
  }

  private static var descriptorCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
  }
}
