import Foundation

/// What is known of a load while it runs, for the error if there will be one.
struct Evidence: Sendable {
  private let request: Request
  private var exchanges: [(request: WireRequest, status: Status?)] = []

  /// The last response, once it is whole.
  var response: Response?

  init(_ request: Request) { self.request = request }

  /// A request is about to be sent.
  mutating func begin(_ request: WireRequest) {
    exchanges.append((request, nil))
  }

  /// The request sent last was answered.
  mutating func end(_ status: Status) {
    guard let last = exchanges.indices.last else { return }
    exchanges[last].status = status
  }
}

extension Evidence {
  /// The error to throw: cancellation as it is, all else as a `LoadError` with what is known.
  func explain(_ error: any Error) -> any Error {
    if error is CancellationError { return error }
    var explained = error as? LoadError ?? LoadError(parser: error)
    let redactor = redactor
    explained.request = explained.request ?? request.curlCommand
    explained.attempts = exchanges.map { exchange in
      LoadError.Attempt(
        method: exchange.request.method,
        url: redactor.redact(url: exchange.request.url.absoluteString),
        outcome: exchange.status?.description ?? explained.kind.rawValue)
    }
    explained.response = response.map { LoadError.ReceivedResponse($0, redactor) }
    return explained.scrubbed(by: redactor)
  }

  private var redactor: Redactor {
    var redactor = Redactor(request)
    for exchange in exchanges {
      redactor.note(url: exchange.request.url.absoluteString)
      redactor.note(headers: exchange.request.headers)
    }
    if let response { redactor.note(headers: response.headers) }
    return redactor
  }
}

extension LoadError.ReceivedResponse {
  /// The evidence of a response: its first 64 KiB, without secrets.
  fileprivate init(_ response: Response, _ redactor: Redactor) {
    url = redactor.redact(url: response.url.absoluteString)
    status = response.status
    headers = redactor.redact(response.headers)
    // A little more than is kept, so that a secret can't hide behind the cut.
    body = Data(redactor.scrub(Data(response.body.prefix(68 << 10))).prefix(64 << 10))
    bodySize = response.body.count
  }
}

extension LoadError {
  /// This error with the known secrets replaced in all of its texts.
  fileprivate func scrubbed(by redactor: Redactor) -> LoadError {
    var scrubbed = self
    scrubbed.reason = redactor.scrub(reason)
    scrubbed.advice = advice.map(redactor.scrub)
    scrubbed.request = request.map(redactor.scrub)
    scrubbed.serverMessage = serverMessage.map(redactor.scrub)
    scrubbed.parsing?.snippet = parsing?.snippet.map(redactor.scrub)
    scrubbed.parsing?.path = redactor.scrub(parsing?.path ?? "")
    return scrubbed
  }
}
