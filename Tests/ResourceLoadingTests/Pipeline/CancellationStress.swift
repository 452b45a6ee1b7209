import Foundation
import ResourceLoading
import ResourceTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads that are cancelled after a random time: before the start, in a redirect, in the head, in
/// the body, in a challenge, and after the end.
struct CancellationStress {
  var form: Form
  var loader: any Loader = URLSession.shared
  /// The additional descriptors and threads that are allowed at the end: both ends of the idle
  /// connections that a loader may keep.
  var allowance = 16

  struct Failure: Error { var what: String }

  func run(loads: Int) async throws {
    let server = try makeServer()
    defer { server.stop() }
    var random = SeededGenerator(seed: 7)
    // The first thousand loads create everything that is created once.
    try await cancel(loads / 10, at: server, &random)
    let before = try await settledCensus(server)
    try await cancel(loads, at: server, &random)
    let after = try await settledCensus(
      server, descriptors: before.descriptors + allowance, threads: before.threads + allowance)

    guard after.descriptors <= before.descriptors + allowance else {
      throw Failure(what: "descriptors grew: \(before) \(after)")
    }
    guard after.threads <= before.threads + allowance else {
      throw Failure(what: "threads grew: \(before) \(after)")
    }
    guard after.memory <= before.memory + 48 << 10 else {
      throw Failure(what: "memory grew: \(before) \(after)")
    }
  }

  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /plain") { _ in .response(body: "ok") }
      LoopbackRoute("GET /redirect") { _ in .redirect(to: "/plain") }
      LoopbackRoute("GET /slow-head") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nContent-"), .delay(.milliseconds(2)),
          .bytes("Length: 2\r\n\r\nok"),
        ]
      }
      LoopbackRoute("GET /slow-body") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"), .delay(.milliseconds(2)),
          .bytes("k"),
        ]
      }
      LoopbackRoute("GET /basic") { _ in
        .response(status: 401, headers: ["WWW-Authenticate": #"Basic realm="x""#])
      }
    }
  }

  private func cancel(
    _ count: Int, at server: LoopbackServer, _ random: inout SeededGenerator
  ) async throws {
    let targets = ["/plain", "/redirect", "/slow-head", "/slow-body", "/basic"]
    for start in stride(from: 0, to: count, by: 100) {
      let plans = (0..<min(100, count - start)).map { index in
        // A hundred simultaneous loads take about this long, so every phase has cancellations.
        (targets[index % targets.count], Int.random(in: 0...45_000, using: &random))
      }
      let completions = await withTaskGroup(of: Int.self) { group in
        for (target, microseconds) in plans {
          group.addTask { await cancelOne(server.url(target), after: microseconds) }
        }
        return await group.reduce(0, +)
      }
      guard completions == plans.count else {
        throw Failure(what: "\(completions) completions of \(plans.count) loads")
      }
    }
  }

  /// Returns the number of completions.
  private func cancelOne(_ url: URL, after microseconds: Int) async -> Int {
    // Every second load is cancelled in its callback, too.
    let load = CancellableLoad(
      form, .data(url), with: loader, cancelsItself: microseconds.isMultiple(of: 2))
    try? await Task.sleep(for: .microseconds(microseconds))
    load.cancel()
    _ = await load.result
    return load.completions
  }

  /// The resources of the process after a last load, which shows that the session still works.
  private func settledCensus(
    _ server: LoopbackServer, descriptors: Int = .max, threads: Int = .max
  ) async throws -> ProcessCensus {
    let text = try await loader.load(.text(server.url("/plain")))
    guard text == "ok" else { throw Failure(what: "the session doesn't load any more") }
    return try await .settled(at: descriptors, threads: threads)
  }
}

/// The resources of the process.
struct ProcessCensus {
  var descriptors: Int
  var threads: Int
  /// Resident memory in KiB.
  var memory: Int

  /// The resources when there are no more descriptors and threads than that, or after half a
  /// minute.
  static func settled(at descriptors: Int, threads: Int = .max) async throws -> ProcessCensus {
    let patience = ContinuousClock.now + .seconds(30)
    var census = now
    while census.descriptors > descriptors || census.threads > threads, .now < patience {
      try await Task.sleep(for: .milliseconds(10))
      census = .now
    }
    return census
  }

  static var now: ProcessCensus {
    let files = FileManager.default
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let number = resident?.split(whereSeparator: { !$0.isNumber }).first
    return ProcessCensus(
      descriptors: (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0,
      threads: (try? files.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0,
      memory: number.flatMap { Int($0) } ?? 0)
  }
}
