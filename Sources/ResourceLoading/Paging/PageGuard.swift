import Foundation

/// Watches the way from page to page: no circles, and no other origin unless that is allowed.
struct PageGuard: Sendable {
  private let allowsOtherOrigins: Bool
  private var seen: Set<Request> = []

  init(allowsOtherOrigins: Bool) { self.allowsOtherOrigins = allowsOtherOrigins }

  /// The request of the next page as it may be sent.
  ///
  /// - Throws: `LoadError` of kind `paging`.
  mutating func check<R>(_ next: Request, after page: Page<R>) throws -> Request {
    let home = page.response?.tools.requested ?? page.response?.url ?? page.request.url
    seen.formUnion([page.request, page.request.redirected(to: home)])
    guard !seen.contains(next) else {
      throw Self.failure(
        "the next page is one that was loaded before", next,
        advice:
          "The server pages in a circle; load it with a limit of pages, or tell it of the mistake")
    }
    guard case .url(let url) = next.address, home.scheme != nil, !url.isSameOrigin(as: home) else {
      return next
    }
    return try checked(next, to: url, from: home)
  }

  private func checked(_ next: Request, to url: URL, from home: URL) throws -> Request {
    guard allowsOtherOrigins else {
      throw Self.failure(
        "the next page is at another origin, \(url.host() ?? "without a host")", next,
        advice: "Set allowsOtherOrigins if the server is to be trusted with that")
    }
    guard home.scheme?.lowercased() != "https" || url.scheme?.lowercased() == "https" else {
      throw Self.failure("the next page isn't at https, as this one is", next, advice: nil)
    }
    return next.changed { $0.headers.leaveOrigin(with: $0.options.crossOriginHeaders) }
  }

  private static func failure(_ reason: String, _ next: Request, advice: String?) -> LoadError {
    var error = LoadError(.paging, reason, advice: advice)
    error.request = next.curlCommand
    return error
  }
}
