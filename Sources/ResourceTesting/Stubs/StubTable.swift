import Foundation
import ResourceLoading

/// Which answers were promised to which requests, without the lock.
struct StubTable<Asked: Sendable>: Sendable {
  typealias Responder = @Sendable (Asked) -> StubAnswer

  private var responders: [String: [Responder]] = [:]
  private(set) var requests: [Asked] = []
}

extension StubTable {
  mutating func stub(_ pattern: String, _ answers: [Responder]) {
    responders[pattern] = answers
  }

  /// Takes note of a request.
  ///
  /// - Returns: What answers it: of the most telling pattern; the last one of a sequence stays.
  mutating func ask(_ asked: Asked, _ method: Request.Method, _ path: String) -> Responder? {
    requests.append(asked)
    let patterns = ["\(method) \(path)", path, "*"]
    guard let pattern = patterns.first(where: { responders[$0] != nil }),
      let answers = responders[pattern]
    else { return nil }
    if answers.count > 1 { responders[pattern] = Array(answers.dropFirst()) }
    return answers.first
  }
}

extension URL {
  /// The path that a stub is found by, with a leading slash and without the query.
  var stubPath: String {
    let path = path(percentEncoded: true)
    return path.hasPrefix("/") ? path : "/" + path
  }
}

extension LoadError {
  /// Nobody has said how a request is answered.
  init(unstubbed method: Request.Method, _ path: String, by stub: String) {
    self.init(
      .invalidRequest, "the stub \(stub) knows no answer to \(method) \(path)",
      advice: "Call stub(\"\(path)\", …) before the load")
  }
}
