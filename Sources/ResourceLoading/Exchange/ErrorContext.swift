import Foundation
import ResourcePrimitives

/// Collects the details for a load's error.
struct ErrorContext: Sendable {
  private var request: Request
  private var exchanges: [Exchange] = []

  /// The last complete response.
  private var response: Response?

  private struct Exchange: Sendable {
    var request: WireRequest
    /// What was sent; the error must not show its secrets.
    var identity: RequestIdentity
    /// The status or the kind of the failure. It is formatted only when there is an error.
    var outcome: (any CustomStringConvertible & Sendable)?
    var cookies = Headers()
  }

  init(_ request: Request) { self.request = request }

  var exchangeCount: Int { exchanges.count }

  mutating func begin(_ request: WireRequest, _ identity: RequestIdentity) {
    exchanges.append(Exchange(request: request, identity: identity))
  }

  /// The identity of the last request that wasn't the result of a redirect; `nil` if nothing was
  /// sent.
  var lastIdentity: RequestIdentity? { exchanges.last { $0.identity.redirects == 0 }?.identity }

  mutating func end(_ outcome: Result<ResponseHead, any Error>) {
    guard let last = exchanges.indices.last, exchanges[last].outcome == nil else { return }
    switch outcome {
    case .success(let head):
      exchanges[last].outcome = head.status
      for cookie in head.headers.values(of: .setCookie) {
        exchanges[last].cookies.append(.setCookie, cookie)
      }
    case .failure(let error):
      exchanges[last].outcome = (error as? LoadError)?.kind.description ?? "cancelled"
    }
  }

  mutating func receive(_ response: Response) { self.response = response }

  /// Adds the exchanges of another load whose response this one shared.
  mutating func absorb(_ other: ErrorContext) {
    exchanges += other.exchanges
    response = other.response ?? response
  }
}

extension ErrorContext {
  /// Returns the error to throw: a cancellation unchanged, anything else as a `LoadError` with
  /// details. Each step takes linear time, and its input is limited. If `isOver` returns `true`,
  /// the response's headers and body are left out.
  func explain(_ error: any Error, isOver: () -> Bool = { false }) -> any Error {
    if error is CancellationError { return error }
    var explained = error as? LoadError ?? LoadError(middleware: error)
    if explained.kind == .parsing {
      explained.advice = explained.advice ?? response?.adviceAboutCoding
    }
    let redactor = redactor
    let known = redactor.known
    // The request as it was sent, with the additions of middleware and signatures, or as the
    // resource describes it if nothing was sent.
    explained.curlCommand =
      explained.curlCommand
      ?? exchanges.last?.request.curlCommand(secretNames: request.options.secretNames)
      ?? request.curlCommand
    if explained.attempts.isEmpty {
      explained.attempts = exchanges.map { exchange in
        LoadError.Attempt(
          method: exchange.request.method,
          url: redactor.redact(url: exchange.request.url.absoluteString, known),
          outcome: exchange.outcome?.description ?? explained.kind.description)
      }
    }
    explained.response =
      explained.response
      ?? response.map { LoadError.ReceivedResponse($0, redactor, known, isOver: isOver) }
    return explained.redacted(by: redactor)
  }

  private var redactor: Redactor {
    var redactor = Redactor(request)
    noteSecrets(in: &redactor)
    return redactor
  }

  /// Adds the secrets of all that was sent, and of what the servers answered.
  func noteSecrets(in redactor: inout Redactor) {
    for exchange in exchanges {
      redactor.note(sent: exchange.request, exchange.identity)
      redactor.note(received: exchange.cookies)
    }
    if let response { redactor.note(received: response.headers) }
  }
}

extension Response {
  /// Advice for a body that may still have a content coding; `nil` if it has none.
  fileprivate var adviceAboutCoding: String? {
    let decoded = ["gzip", "x-gzip", "deflate", "identity", "none"]
    let codings = headers[.contentEncoding]?.lowercased().split { ", \t".contains($0) } ?? []
    guard let coding = codings.first(where: { !decoded.contains(String($0)) }) else { return nil }
    return
      "See whether the body still has its content coding \"\(coding.shortened(to: 40))\", and ask"
      + " for it with Accept-Encoding: gzip or identity"
  }
}

extension LoadError {
  init(middleware error: any Error) {
    self.init(.middleware, "a middleware threw \(error)", underlying: error)
  }
}

extension LoadError.ReceivedResponse {
  /// Creates an error's copy of a response: its first 64 KiB, without secrets.
  fileprivate init(
    _ response: Response, _ redactor: Redactor, _ known: KnownSecrets, isOver: () -> Bool
  ) {
    url = redactor.redact(url: response.url.absoluteString, known)
    status = response.status
    bodySize = response.body.count
    headers = Headers()
    for field in response.headers {
      guard !isOver() else { break }
      let shown = redactor.redact(field, known)
      headers.append(shown.name, shown.value)
    }
    // A little more than the copy has, so that a secret isn't cut in two.
    body =
      isOver()
      ? Data()
      : Data(redactor.redact(Data(response.body.prefix(68 << 10)), known).prefix(64 << 10))
  }
}

extension LoadError {
  /// Returns the error with secrets replaced in all of its texts, some of which were truncated.
  fileprivate func redacted(by redactor: Redactor) -> LoadError {
    let known = redactor.known
    let redact = { (text: String) in redactor.redact(text, known) }
    let cut = { (text: String) in redactor.redact(cut: text, known) }
    var redacted = self
    redacted.reason = redact(reason)
    redacted.advice = advice.map(redact)
    redacted.curlCommand = curlCommand.map(redact)
    redacted.serverMessage = serverMessage.map(cut)
    redacted.parsing?.snippet = parsing?.snippet.map(cut)
    redacted.parsing?.path = redact(parsing?.path ?? "")
    return redacted
  }
}
