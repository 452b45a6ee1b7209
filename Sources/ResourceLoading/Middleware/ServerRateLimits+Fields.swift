import Foundation
import ResourcePrimitives

extension ServerRateLimits {
  /// Returns the limits that a response announces, by the first form that it has. The local date is
  /// for servers without a `Date`.
  static func announced(in response: Response, at date: Date) -> [Limit] {
    let headers = response.headers
    var limits = structured(headers)
    if limits.isEmpty { limits = fields("RateLimit-", headers, at: date).map { [$0] } ?? [] }
    for prefix in ["X-RateLimit-", "X-Rate-Limit-"] where limits.isEmpty {
      limits = fields(prefix, headers, at: date).map { [$0] } ?? []
    }
    guard [429, 503].contains(response.status),
      let wait = RetryAfter.duration(in: headers, at: date)
    else { return limits }
    // No policy can have this name.
    return limits + [Limit(name: "Retry-After:", remaining: 0, reset: wait)]
  }

  /// Reads `RateLimit: "default";r=50;t=30` and `RateLimit-Policy: "default";q=100;w=60`, and the
  /// form of an earlier draft, `RateLimit: limit=100, remaining=50, reset=5`.
  private static func structured(_ headers: Headers) -> [Limit] {
    let policies = (headers.list("RateLimit-Policy") ?? []).compactMap(Policy.init)
    let limits = (headers.list("RateLimit") ?? []).compactMap { Limit($0, policies) }
    guard limits.isEmpty else { return limits }
    guard let members = headers.dictionary("RateLimit"),
      let remaining = members["remaining"]?.item?.value.integer,
      let reset = members["reset"]?.item?.value.integer
    else { return [] }
    return [
      Limit(
        remaining: remaining, reset: .seconds(reset),
        quota: members["limit"]?.item?.value.integer)
    ]
  }

  /// A policy's name, its number of requests, and the length of its window.
  fileprivate struct Policy {
    let name: String
    let quota: Int?
    let window: Duration?
  }

  /// Reads the form with a field for each number. `Reset` has seconds, or a date in seconds since
  /// 1970.
  private static func fields(_ prefix: String, _ headers: Headers, at date: Date) -> Limit? {
    func number(_ name: String) -> Double? {
      guard let text = headers.values(of: Headers.Name(rawValue: prefix + name)).first,
        // Policies may follow the number: `100, 100;w=60`.
        let first = text.split(whereSeparator: { ",;".contains($0) }).first
      else { return nil }
      let trimmed = String(first).trimmingSpaces()
      // Some servers send numbers below zero, and any may send one that fits no integer.
      return trimmed.isDecimalNumber() ? Double(trimmed).map { min(max($0, 0), 1e15) } : nil
    }
    guard let remaining = number("Remaining"),
      let reset = number("Reset-After") ?? number("Reset")
    else { return nil }
    let now = headers[.date].flatMap { HTTPDate($0, now: date)?.date } ?? date
    let seconds = reset > 1e9 ? max(0, reset - now.timeIntervalSince1970) : reset
    return Limit(
      remaining: Int(min(remaining, 1e9)), reset: .seconds(min(seconds, 1e9)),
      quota: number("Limit").map { Int(min($0, 1e9)) })
  }
}

extension ServerRateLimits.Limit {
  /// Reads a member of `RateLimit`. Its quota and window are in the policy.
  fileprivate init?(_ member: StructuredField.Member, _ policies: [ServerRateLimits.Policy]) {
    guard let name = member.name, let remaining = member.parameters["r"]?.integer else {
      return nil
    }
    let policy = policies.first { $0.name == name }
    let announced = member.parameters["t"]?.integer.map { Duration.seconds($0) }
    guard let reset = announced ?? policy?.window else { return nil }
    self.init(
      name: name, remaining: remaining, reset: reset, quota: policy?.quota, window: policy?.window)
  }
}

extension ServerRateLimits.Policy {
  fileprivate init?(_ member: StructuredField.Member) {
    guard let name = member.name else { return nil }
    self.name = name
    quota = member.parameters["q"]?.integer
    window = member.parameters["w"]?.integer.map { .seconds($0) }
  }
}

extension StructuredField.Member {
  /// The text of a string or token.
  fileprivate var name: String? {
    switch item?.value {
    case .string(let name), .token(let name): name
    default: nil
    }
  }
}
