import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Cancelling, at every moment and in every form: no crash, no hang, one completion each.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CancellationTests {
  @Test(arguments: Form.allCases)
  func `a load that is cancelled before it starts sends nothing`(_ form: Form) async throws {
    let server = try LoopbackServer { Route("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let session = makeSession()
    let resource = Resource.data(server.url("/never"))

    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask {
          await withTaskCancellationHandler {
            withUnsafeCurrentTask { $0?.cancel() }
            return await form.loadCancelled(resource, with: session)
          } onCancel: {
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    _ = try await session.load(.data(server.url("/last")))

    #expect(outcomes.allSatisfy { $0 })
    #expect(!server.requests.contains { $0.target == "/never" } || form != .await)
  }

  @Test(arguments: Form.allCases)
  func `cancelling while the server is silent ends the load at once`(_ form: Form) async throws {
    let server = try LoopbackServer { Route("GET /") { _ in .silence } }
    defer { server.stop() }
    let session = makeSession()
    let resource = Resource.data(server.url("/"))

    let load = CancellableLoad(form, resource, with: session)
    _ = try await server.waitForRequests(count: 1)
    load.cancel()
    let result = await load.result

    #expect(result.failure is CancellationError)
    try await server.waitForDisconnects(count: 1)
  }

  @Test(arguments: Form.allCases)
  func `thousands of loads cancelled at random complete once each`(_ form: Form) async throws {
    let server = try LoopbackServer {
      Route("GET /plain") { _ in .response(body: "ok") }
      Route("GET /redirect") { _ in .redirect(to: "/plain") }
      Route("GET /slow-head") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nContent-"), .delay(.milliseconds(2)),
          .bytes("Length: 2\r\n\r\nok"),
        ]
      }
      Route("GET /slow-body") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"), .delay(.milliseconds(2)),
          .bytes("k"),
        ]
      }
      Route("GET /basic") { _ in
        .response(status: 401, headers: ["WWW-Authenticate": #"Basic realm="x""#])
      }
    }
    defer { server.stop() }
    let session = makeSession()
    let targets = ["/plain", "/redirect", "/slow-head", "/slow-body", "/basic"]
    let count = StressScale.loads
    var random = SeededGenerator(seed: 7)
    let before = ProcessCensus.now

    let plans = (0..<count).map { index in
      (targets[index % targets.count], Int.random(in: 0...6_000, using: &random))
    }
    var completions = 0
    for start in stride(from: 0, to: count, by: 100) {
      completions += await withTaskGroup(of: Int.self) { group in
        for (target, microseconds) in plans[start..<min(count, start + 100)] {
          group.addTask {
            let load = CancellableLoad(form, .data(server.url(target)), with: session)
            try? await Task.sleep(for: .microseconds(microseconds))
            load.cancel()
            _ = await load.result
            return load.completions
          }
        }
        return await group.reduce(0, +)
      }
    }

    #expect(completions == count)
    #expect(try await session.load(.text(server.url("/plain"))) == "ok")
    let after = ProcessCensus.now
    #expect(after.descriptors <= before.descriptors + 40)
    #expect(after.threads <= before.threads + 60)
  }
}

/// How much the stress tests do: a little by default, all of it where `STRESS` is set.
enum StressScale {
  static var loads: Int { ProcessInfo.processInfo.environment["STRESS"] == nil ? 1_500 : 10_000 }
}

/// What the process holds.
struct ProcessCensus {
  var descriptors: Int
  var threads: Int
  /// Resident memory in KiB.
  var memory: Int

  static var now: ProcessCensus {
    let files = FileManager.default
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return ProcessCensus(
      descriptors: (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0,
      threads: (try? files.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0,
      memory: resident?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
  }
}

/// A load in any of the forms that can be cancelled from outside and counts its completions.
final class CancellableLoad<R: Sendable>: Sendable {
  private let outcome = Promise<Result<R, any Error>>.pending()
  private let count = Atomic(0)
  private let stop: Mutex<@Sendable () -> Void> = Mutex({})

  init(_ form: Form, _ resource: Resource<R>, with loader: some Loader) {
    let stop: @Sendable () -> Void
    switch form {
    case .callback:
      let task = loader.load(resource) { self.complete($0) }
      stop = { task.cancel() }
    case .promise:
      let promise = loader.promise(for: resource)
      promise.done(on: .inline) { self.complete(.success($0)) }
        .catch(on: .inline) { self.complete(.failure($0)) }
      stop = { promise.cancel() }
    case .await:
      let task = Task {
        do {
          self.complete(.success(try await loader.load(resource)))
        } catch {
          self.complete(.failure(error))
        }
      }
      stop = { task.cancel() }
    }
    self.stop.withLock { $0 = stop }
  }

  func cancel() { stop.withLock(\.self)() }

  var completions: Int { count.load(ordering: .sequentiallyConsistent) }

  var result: Result<R, any Error> {
    get async {
      do { return try await outcome.promise.get() } catch { return .failure(error) }
    }
  }

  private func complete(_ result: Result<R, any Error>) {
    count.add(1, ordering: .sequentiallyConsistent)
    outcome.resolver.fulfill(result)
  }
}

extension Form {
  /// Loads and cancels at once; tells whether the load ended as cancelled.
  fileprivate func loadCancelled<R>(
    _ resource: Resource<R>, with loader: some Loader
  ) async -> Bool {
    if self == .await {
      do {
        _ = try await loader.load(resource)
        return false
      } catch {
        return error is CancellationError
      }
    }
    let load = CancellableLoad(self, resource, with: loader)
    load.cancel()
    // Not awaited on this task, which is cancelled itself.
    return await Task.detached { await load.result.failure is CancellationError }.value
  }
}
