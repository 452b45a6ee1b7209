import Foundation

@testable import ResourceLoading

/// Calls the redirect decision directly, for schemes that a loopback server can't serve.
enum RefusalProbe {
  static func refusal(from source: String, to target: String) -> String? {
    guard let url = URL(string: source) else { return nil }
    let decision = RedirectRules(Request.Options(), origin: url).decision(
      after: WireRequest.Draft(method: .get, url: url, headers: [:]),
      ResponseHead(status: 302, headers: [.location: target]))
    guard case .refuse(let reason, _) = decision else { return nil }
    return reason
  }
}
