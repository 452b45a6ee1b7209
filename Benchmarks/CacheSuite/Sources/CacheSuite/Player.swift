import Foundation
import ResourceLoading

/// Plays cases through a client with a cache.
struct Player: Sendable {
  /// The URL of the suite's server.
  let base: URL
  /// The client with the cache.
  let client: Client
  /// The client for what isn't part of a case.
  let plain: Client

  /// Plays a case. Returns `nil` if it is passed.
  func play(_ test: Case) async -> Failure? {
    do {
      try await run(test)
      return nil
    } catch let failure as Failure {
      return failure
    } catch {
      let text = "a request failed: \("\(error)".prefix { $0 != "\n" })"
      return (error as? LoadError)?.kind == .timedOut ? .setup(text) : .unexpected(text)
    }
  }

  private func run(_ test: Case) async throws {
    let token = UUID().uuidString.lowercased()
    let steps = try JSONEncoder().encode(test.requests)
    let body = Request.Body.data(steps, as: .json)
    _ = try await plain.load(
      Resource.data(Request(.put, url: base.appending(path: "config/\(token)"), body: body)))
    var responses: [Response] = []
    for (index, step) in test.requests.enumerated() {
      let request = try Request(
        step, number: index + 1, of: test.id, at: base, token: token, after: responses.last)
      let response = try await client.load(Resource(request) { $0 })
      responses.append(response)
      try step.check(response, number: index + 1, token: token)
      if step["pause_after"] != nil { try await Task.sleep(for: .seconds(3)) }
    }
    try test.check(try await seen(token), responses)
  }

  private func seen(_ token: String) async throws -> [SeenRequest] {
    var request = Request(url: base.appending(path: "state/\(token)"))
    // The server has nothing to tell of a case without requests.
    request.options.acceptedStatuses = [200, 404]
    return try await plain.load(
      Resource(request) { response in
        guard response.status == .ok else { return [] }
        return try JSONDecoder().decode([SeenRequest].self, from: response.body)
      })
  }
}

extension Player {
  /// Plays cases, 50 at a time as the suite does. Returns the failures by the names of the cases.
  ///
  /// A case in which a response became stale too early or came too late, because the machine was
  /// busy, couldn't be played. Such cases are played once more, one after the other.
  func play(_ tests: [Case]) async -> [String: Failure] {
    var failures: [String: Failure] = [:]
    await withTaskGroup(of: (String, Failure?).self) { group in
      for (index, test) in tests.enumerated() {
        if index >= 50, let (id, failure) = await group.next() { failures[id] = failure }
        group.addTask { (test.id, await play(test)) }
      }
      for await (id, failure) in group { failures[id] = failure }
    }
    for test in tests {
      if case .setup? = failures[test.id] { failures[test.id] = await play(test) }
    }
    return failures
  }
}
