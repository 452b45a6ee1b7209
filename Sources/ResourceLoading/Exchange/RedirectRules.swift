import Foundation
import ResourcePrimitives

/// Decides whether one load follows a redirect, from the request and the response alone.
struct RedirectRules: Sendable {
  /// The number of redirects so far, and the URL at which the load began.
  var hop: WireRequest.Hop
  /// Whether any request so far went to another origin than the client's. That origin may have
  /// chosen the URLs of all later ones.
  private var hasLeftHome: Bool
  /// Whether the load opens a WebSocket, whose locations may have the schemes `ws` and `wss`.
  private let opensSocket: Bool
  private let policy: Request.RedirectPolicy
  private let carriedHeaders: Set<Headers.Name>?
  private let strictTransportSecurity: StrictTransportSecurity?
  private let clock: LoadClock

  init(
    _ options: Request.Options, origin: URL, hasLeftHome: Bool = false, opensSocket: Bool = false,
    upgrading strictTransportSecurity: StrictTransportSecurity? = nil, clock: LoadClock = .system
  ) {
    hop = WireRequest.Hop(redirects: 0, origin: origin)
    self.hasLeftHome = hasLeftHome
    self.opensSocket = opensSocket
    policy = options.redirects ?? .standard
    carriedHeaders = options.crossOriginHeaders
    self.strictTransportSecurity = strictTransportSecurity
    self.clock = clock
  }
}

/// The decision about a response that may be a redirect.
enum RedirectDecision: Sendable, Equatable {
  /// The response is final.
  case stop
  /// Send this request next.
  case follow(WireRequest.Draft)
  /// The redirect must not be followed.
  case refuse(reason: String, advice: String?)
}

extension RedirectRules {
  /// Decides by RFC 9110 section 15.4.
  func decision(after request: WireRequest.Draft, _ head: ResponseHead) -> RedirectDecision {
    guard head.status.isFollowed, policy.maximum > 0, let location = head.location else {
      return .stop
    }
    guard !head.hasSeveralLocations else {
      return .refuse(
        reason: "the server redirects to several URLs at once",
        advice: "Have it send one Location, because other clients may follow another one")
    }
    guard let target = request.target(location).map(requested) else {
      let shown = "\"\(location.redactedURL.printable)\""
      return .refuse(reason: "the server redirects to an invalid URL: \(shown)", advice: nil)
    }
    if let refusal = refusal(of: target, from: request.url) { return refusal }
    var next = request.adapted(to: head.status)
    if !target.isSameOrigin(as: request.url) { next.headers.leaveOrigin(with: carriedHeaders) }
    next.url = target
    return .follow(next)
  }

  private func refusal(of target: URL, from source: URL) -> RedirectDecision? {
    let scheme = target.scheme?.lowercased() ?? ""
    guard ["http", "https"].contains(scheme), target.host() != nil else {
      return .refuse(
        reason: "the server redirects to a URL that isn't http or https", advice: nil)
    }
    if source.isSecure, scheme == "http" {
      return .refuse(
        reason: "the server redirects from https to http",
        advice: "Request the http URL if that is intended")
    }
    if policy.staysAtOrigin, !target.isSameOrigin(as: source) {
      return .refuse(
        reason: "the server redirects to another origin, \(target.origin)".printable,
        advice: "Follow redirects with .follow(maximum:) if that is to be trusted")
    }
    guard hop.redirects < policy.maximum else {
      return .refuse(
        reason: "more than \(policy.maximum) redirects",
        advice:
          "Check the attempts: if the server redirects in a loop, request another URL; otherwise raise"
          + " the limit of options.redirects")
    }
    return nil
  }

  /// Counts a redirect to a URL.
  mutating func follow(to url: URL, from baseURL: URL?) {
    hop.redirects += 1
    hasLeftHome = hasLeftHome || !isHome(hop.origin, baseURL) || !isHome(url, baseURL)
  }

  /// Whether this request and all before it go to the origin of a client's base URL, or without one
  /// to the origin where the load began. Another origin could redirect to any path and query, and
  /// such a request must not be signed.
  func isHome(_ url: URL, _ baseURL: URL?) -> Bool {
    let home = baseURL ?? hop.origin
    return !hasLeftHome && (url.isSameOrigin(as: home) || url.isSameOrigin(as: upgraded(home)))
  }

  /// The URL that is requested for a target.
  private func requested(_ target: URL) -> URL {
    upgraded(opensSocket ? target.ofHandshake : target)
  }

  private func upgraded(_ url: URL) -> URL {
    strictTransportSecurity?.upgraded(url, at: clock.date()) ?? url
  }
}

extension Request.RedirectPolicy {
  /// The policy of requests without one.
  static let standard = follow(maximum: 20)
}

extension Status {
  fileprivate var isFollowed: Bool {
    switch rawValue {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }
}

extension ResponseHead {
  fileprivate var location: String? {
    headers.values(of: .location).first { !$0.isEmpty }
  }

  /// Whether a redirect has several different targets, which is invalid. Repetitions of one target
  /// are harmless.
  fileprivate var hasSeveralLocations: Bool {
    Set(headers.values(of: .location).map { Array($0.utf8) }).count > 1
  }
}

extension WireRequest.Draft {
  /// The absolute target of a `Location` (RFC 9110 section 10.2.2), without user info and fragment.
  fileprivate func target(_ location: String) -> URL? {
    guard let url = URL(reference: location, from: url),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      (1...65_535).contains(parts.port ?? 80)
    else { return nil }
    parts.removeUnsentParts()
    return parts.url
  }

  /// Returns the request for a redirect with this status.
  fileprivate func adapted(to status: Status) -> WireRequest.Draft {
    guard status.leadsToGet(method) else { return self }
    var next = self
    next.method = .get
    next.body = nil
    for field in headers where field.name.isAboutBody { next.headers[field.name] = nil }
    return next
  }
}

extension Headers.Name {
  /// Whether a header describes the body of a request, or asks whether it may be sent (RFC 9110
  /// sections 10.1.1 and 15.4).
  fileprivate var isAboutBody: Bool {
    rawValue.lowercased().hasPrefix("content-")
      || [.digest, .reprDigest, .lastModified, .expect].contains(self)
  }
}
