import CSimulation
import Foundation
import ResourceLoading

/// A server whose paths have each a rule for caches, and RFC 9111 in plain words: which of its
/// responses may be used again, and when.
final class CacheServer: Server, @unchecked Sendable {
  /// What the responses of a path say.
  struct Rule {
    var control: String
    var lifetime: Nanoseconds = 0
    var mayBeStored = true
    /// Whether each use needs a validation.
    var mustValidate = false
    /// Whether it may never be used stale, not even without a network.
    var mustRevalidate = false
    var staleWhileRevalidate: Nanoseconds = 0
    /// Whether its content depends on the user.
    var isForUser = true
    /// Whether its content depends on `Accept-Language`.
    var varies = false
    /// Whether it has a validator.
    var hasTag = true
    /// Whether it is in the group that writes of `/grouped` invalidate.
    var isGrouped = false
    /// Whether it is asked for by `QUERY`.
    var isQueried = false
  }

  /// What was answered.
  struct Fact {
    /// For a query with its content behind a colon.
    var path: String
    var user: String
    var language: String
    var version: Int
    var rule: Rule
    var began: Nanoseconds
    var made: Nanoseconds
  }

  struct Asked {
    var path: String
    var user: String
    var language: String
    var began: Nanoseconds
  }

  private(set) var facts: [Int: Fact] = [:]

  private let rules: [String: Rule] = [
    "/short": Rule(control: "max-age=2", lifetime: 2 * second),
    "/long": Rule(control: "max-age=30", lifetime: 30 * second, varies: true),
    "/checked": Rule(control: "no-cache, max-age=20", mustValidate: true),
    "/never": Rule(control: "no-store", mayBeStored: false),
    "/strict": Rule(
      control: "max-age=3, must-revalidate", lifetime: 3 * second, mustRevalidate: true),
    "/meanwhile": Rule(
      control: "max-age=1, stale-while-revalidate=5", lifetime: second,
      staleWhileRevalidate: 5 * second, varies: true),
    "/mine": Rule(control: "private, max-age=5", lifetime: 5 * second),
    "/untagged": Rule(control: "max-age=4", lifetime: 4 * second, hasTag: false),
    "/grouped": Rule(control: "max-age=20", lifetime: 20 * second, isGrouped: true),
    "/together": Rule(control: "max-age=20", lifetime: 20 * second, isGrouped: true),
    "/search": Rule(control: "max-age=8", lifetime: 8 * second, isQueried: true),
  ]

  /// The path that is loaded in parts.
  static let parts = "/parts"
  /// What was answered for it.
  var partFacts: [PartFact] = []
  /// Whether its parts can be combined.
  lazy var partsHaveTags = chance(800)

  /// The paths that are loaded: all, or a few, which meet more often.
  private(set) lazy var paths: [String] = {
    let all = rules.keys.sorted() + [Self.parts]
    return chance(500) ? all : [pick(of: all), "/long"]
  }()

  var anyPath: String { pick(of: paths) }

  /// A path without the content of a query.
  static func resource(_ path: String) -> String { String(path.prefix { $0 != ":" }) }

  func isQueried(_ path: String) -> Bool { rules[path]?.isQueried ?? false }

  /// The paths whose responses a write of a path invalidates.
  func invalidated(byWriting path: String) -> [String] {
    path == "/grouped" ? rules.filter(\.value.isGrouped).map(\.key).sorted() : [path]
  }

  override func own(
    _ request: WireRequest, _ path: String, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data)? {
    let user = request.headers[.authorization].map { String($0.dropFirst("Bearer ".count)) } ?? "-"
    if request.method == .put, path == "/grouped" {
      var headers = headers
      headers["Cache-Group-Invalidation"] = "\"other\", \"together\""
      return (ResponseHead(status: .ok, headers: headers), write(request, path))
    }
    if path == Self.parts, request.method == .get { return part(request, user, number, headers) }
    guard let rule = rules[path], request.method == (rule.isQueried ? .query : .get) else {
      return nil
    }
    let content = rule.isQueried ? ":" + String(decoding: body(of: request), as: UTF8.self) : ""
    let language = request.headers["Accept-Language"] ?? ""
    let version = version(of: path)
    let fact = Fact(
      path: path + content, user: user, language: language, version: version, rule: rule,
      began: records[number].began, made: sim_now())
    facts[number] = fact
    var headers = headers
    headers[.cacheControl] = rule.control
    headers[.contentType] = "application/json"
    if rule.varies { headers[.vary] = "Accept-Language" }
    if rule.isGrouped { headers["Cache-Groups"] = "\"together\", \"more\"" }
    if rule.hasTag {
      let tag = "\"\(version)-\(user)-\(rule.varies ? language : "")\""
      headers[.eTag] = tag
      if request.headers[.ifNoneMatch]?.contains(tag) == true {
        return (ResponseHead(status: .notModified, headers: headers), Data())
      }
    }
    let document = Document(path: path + content, user: user, version: version, exchange: number)
    return (ResponseHead(status: .ok, headers: headers), document.json(padding: pick(300)))
  }
}

extension CacheServer {
  private func body(of request: WireRequest) -> Data { (try? request.body?.data()) ?? Data() }

  /// Returns why a stored response must not have been used; `nil` if it was right.
  func reasonAgainst(
    _ loaded: LoadedResponse<Document>, _ fact: Fact, _ asked: Asked
  ) -> (invariant: Invariant, words: String)? {
    guard fact.rule.mayBeStored else {
      return (.mayBeStored, "\(fact.path) was stored, which says \(fact.rule.control)")
    }
    // A response is as new as the last answer that said that it is still the right one.
    let confirmed =
      facts.values.filter {
        $0.path == fact.path && $0.user == fact.user && $0.version == fact.version
          && ($0.language == fact.language || !fact.rule.varies)
      }.map(\.made).max() ?? fact.made
    let age = asked.began - confirmed
    // `Date` is in whole seconds, and the age of a response is counted from the request.
    let slack = 1100 * millisecond
    switch loaded.response.source {
    case .cache:
      if fact.rule.mustValidate { return (.freshness, "\(fact.path) wasn't validated") }
      guard age > fact.rule.lifetime + slack else { return nil }
      return (.freshness, "\(fact.path) was used \(age / millisecond) ms after it was made")
    case .stale(_, .failed):
      guard fact.rule.mustValidate || fact.rule.mustRevalidate else { return nil }
      return (.freshness, "\(fact.path) was used stale, which says \(fact.rule.control)")
    case .stale:
      guard age > fact.rule.lifetime + fact.rule.staleWhileRevalidate + slack else { return nil }
      return (.freshness, "\(fact.path) was used stale \(age / millisecond) ms after it was made")
    case .revalidated:
      guard !isConfirmed(fact, since: asked.began) else { return nil }
      return (.freshness, "\(fact.path) wasn't revalidated")
    default: return nil
    }
  }

  /// Returns whether a request that was under way at a time, perhaps on behalf of another load, has
  /// confirmed a response.
  func isConfirmed(_ fact: Fact, since time: Nanoseconds) -> Bool {
    facts.contains { number, other in
      other.path == fact.path && other.user == fact.user && other.version == fact.version
        && records[number].ended >= time
    }
  }
}
