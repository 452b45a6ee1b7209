package import Foundation

// What a cache in another module has to know of the stages behind it.

extension Next {
  /// Whether the body of the response is kept in memory, and not on its way into a file or a stream.
  package var keepsBody: Bool { context.destination == nil }

  /// The date on the calendar, and the time by a clock that nobody sets.
  package struct Moment: Sendable {
    package var date: Date
    /// Since a beginning that is the same for all loads of a client.
    package var uptime: Duration

    package init(date: Date, uptime: Duration) {
      self.date = date
      self.uptime = uptime
    }
  }

  /// Now.
  package var moment: Moment { Moment(date: date, uptime: context.clock.now()) }

  /// A request as it would be sent now, as far as the stages behind tell: with the credentials that they add.
  package func foretold(_ request: Request) -> Request {
    var request = credentialed(request)
    if let cookies = chain.sender.cookies, request.headers[.cookie] == nil {
      request.headers[.cookie] = cookies.header(for: request.url, at: date)
    }
    if let credential = request.urlCredential, request.headers[.authorization] == nil {
      request.headers[.authorization] = credential
    }
    return request
  }

  /// Does something with the stages behind that goes on when the load is over. It has the time that a load of
  /// its own would have, and is cancelled when the client is closed.
  ///
  /// - Parameters:
  ///   - request: What is to be loaded.
  ///   - same: What is the same for what is done once: while a work of an equal one is under way, none is begun.
  ///   - work: What to do, with what comes behind this stage.
  package func inBackground(
    _ request: Request, as same: Request, _ work: @escaping @Sendable (Next) async -> Void
  ) {
    let next = on(behalfOf: context.continued(with: request))
    chain.background?.begin(SharingKey(request: same, place: place)) { await work(next) }
  }
}

extension Request {
  /// The credential that its URL's user info stands for.
  fileprivate var urlCredential: String? {
    // Looking at the text first is much cheaper than taking the URL apart.
    guard case .url(let url) = address, url.absoluteString.utf8.contains(UInt8(ascii: "@")),
      let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let user = parts.user
    else { return nil }
    return BasicCredential.value(user: user, password: parts.password ?? "")
  }
}
