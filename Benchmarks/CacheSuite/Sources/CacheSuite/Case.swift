import ResourceLoading

/// A case of the suite: a few requests, one after the other, and what is expected of each.
struct Case: Decodable, Sendable {
  let id: String
  let kind: Kind?
  let dependencies: [String]?
  /// Whether it is for shared caches only.
  let isForSharedCaches: Bool?
  /// Whether it is for content delivery networks only.
  let isForNetworks: Bool?
  let requests: [Step]

  private enum CodingKeys: String, CodingKey {
    case id, kind, requests
    case dependencies = "depends_on"
    case isForSharedCaches = "browser_skip"
    case isForNetworks = "cdn_only"
  }

  enum Kind: String, Decodable, CaseIterable {
    case required, optimal, check
  }

  /// A group of cases in the suite's file.
  struct Group: Decodable {
    let tests: [Case]
  }
}

/// A request of a case, as the suite describes it.
struct Step: Codable, Sendable {
  let fields: JSONValue

  init(from decoder: any Decoder) throws { fields = try JSONValue(from: decoder) }

  func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }

  subscript(name: String) -> JSONValue? { fields[name] }

  /// Whether a failure of an expectation says that the case couldn't be played, and nothing about
  /// the cache.
  func isSetup(_ expectation: String) -> Bool {
    self["setup"]?.bool == true
      || self["setup_tests"]?.array?.contains { $0.string == expectation } == true
  }
}

/// Why a case isn't passed.
enum Failure: Error {
  /// The cache doesn't do what is expected.
  case unexpected(String)
  /// The case couldn't be played.
  case setup(String)

  var text: String {
    switch self {
    case .unexpected(let text): text
    case .setup(let text): "not played: \(text)"
    }
  }
}

extension Step {
  func expect(
    _ condition: Bool, _ expectation: String, _ text: @autoclosure () -> String
  ) throws(Failure) {
    guard !condition else { return }
    throw isSetup(expectation) ? .setup(text()) : .unexpected(text())
  }
}

/// What is always a condition of the case, and no expectation of the cache.
func ensure(_ condition: Bool, _ text: @autoclosure () -> String) throws(Failure) {
  guard condition else { throw .setup(text()) }
}

extension Headers {
  /// The values of all lines with a name, in one text; `nil` if there is none.
  func text(_ name: String) -> String? {
    let values = values(of: Name(rawValue: name))
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }
}
