import Foundation
import ResourceLoading

/// The answers by pattern, and the requests so far.
struct StubTable<Asked: Sendable>: Sendable {
  typealias Responder = @Sendable (Asked) -> StubAnswer

  private var responders: [String: [Responder]] = [:]
  private(set) var requests: [Asked] = []
}

extension StubTable {
  mutating func stub(_ pattern: String, _ answers: [Responder]) {
    responders[pattern] = answers
  }

  /// Records a request and returns the next answer of the most specific pattern. The last answer is
  /// repeated. Returns `nil` if no pattern matches.
  mutating func ask(_ asked: Asked, _ method: Request.Method, _ path: String) -> Responder? {
    requests.append(asked)
    guard let pattern = pattern(for: method, path), let answers = responders[pattern] else {
      return nil
    }
    if answers.count > 1 { responders[pattern] = Array(answers.dropFirst()) }
    return answers.first
  }
}

extension StubTable {
  /// The error for a request without an answer, which names the nearest pattern.
  func error(for method: Request.Method, _ path: String, by stub: String) -> LoadError {
    let nearest = responders.keys.sorted().max {
      likeness($0, method, path) < likeness($1, method, path)
    }
    let patterns =
      nearest.map { "; the nearest of its \(responders.count) patterns is \"\($0)\"" }
      ?? ": it has no patterns"
    return LoadError(
      .invalidRequest, "the stub \(stub) has no answer to \(method) \(path)\(patterns)",
      advice: "Call stub(\"\(path)\", …) before the load. A pattern is a path without a query; a *"
        + " in it stands for one segment, and \"*\" alone for all other requests")
  }

  /// How much of a pattern a request has: first segments from the beginning, then the method.
  private func likeness(_ pattern: String, _ method: Request.Method, _ path: String) -> Int {
    let words = pattern.split(separator: " ")
    let segments = (words.last ?? "").prefix { $0 != "?" }.split(separator: "/")
    let asked = path.split(separator: "/")
    let common = zip(segments, asked).prefix { $0 == "*" || $0 == $1 }.count
    let others = abs(segments.count - asked.count)
    return 100 * common - 10 * others + (words.count == 1 || words[0] == method.rawValue ? 1 : 0)
  }

  private func pattern(for method: Request.Method, _ path: String) -> String? {
    let plain = ["\(method) \(path)", path].first { responders[$0] != nil }
    if let plain { return plain }
    let fitting = responders.keys.compactMap { Wildcards($0, method, path) }
    return fitting.max()?.pattern ?? ["\(method) *", "*"].first { responders[$0] != nil }
  }
}

/// A pattern with stars that matches a request. The greater one is more specific.
private struct Wildcards: Comparable {
  let pattern: String
  private let hasMethod: Bool
  /// For each segment, whether it isn't a star.
  private let literals: [Bool]

  init?(_ pattern: String, _ method: Request.Method, _ path: String) {
    let words = pattern.split(separator: " ")
    guard let segments = words.last?.split(separator: "/", omittingEmptySubsequences: false),
      segments.count > 1, words.count == 1 || words.first == method.rawValue[...]
    else { return nil }
    let asked = path.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count == asked.count,
      zip(segments, asked).allSatisfy({ $0 == "*" && !$1.isEmpty || $0 == $1 })
    else { return nil }
    self.pattern = pattern
    hasMethod = words.count > 1
    literals = segments.map { $0 != "*" }
  }

  static func < (one: Wildcards, other: Wildcards) -> Bool {
    guard one.hasMethod == other.hasMethod else { return other.hasMethod }
    let difference = zip(one.literals, other.literals).first { $0 != $1 }
    return difference?.1 ?? false
  }
}

extension URL {
  /// The path by which a stub is found, with a leading slash and without the query.
  var stubPath: String {
    let path = path(percentEncoded: true)
    return path.hasPrefix("/") ? path : "/" + path
  }
}
