import Foundation

/// What is known of a load while it runs, for the error if there will be one.
struct ErrorContext: Sendable {
  private var request: Request
  private var exchanges: [Exchange] = []

  /// The last response, once it is whole.
  private var response: Response?

  /// One request that was sent, and what became of it.
  private struct Exchange: Sendable {
    var request: WireRequest
    var outcome: Outcome?
    /// The cookies that the server set.
    var cookies = Headers()
  }

  /// Put into words only if there will be an error.
  private enum Outcome: Sendable {
    case status(Status)
    case failure(String)

    var text: String {
      switch self {
      case .status(let status): status.description
      case .failure(let text): text
      }
    }
  }

  init(_ request: Request) { self.request = request }

  /// A request is about to be sent.
  mutating func begin(_ request: WireRequest) {
    exchanges.append(Exchange(request: request))
  }

  /// The request sent last was answered, or failed.
  mutating func end(_ outcome: Result<ResponseHead, any Error>) {
    guard let last = exchanges.indices.last, exchanges[last].outcome == nil else { return }
    switch outcome {
    case .success(let head):
      exchanges[last].outcome = .status(head.status)
      for cookie in head.headers.values(of: .setCookie) {
        exchanges[last].cookies.append(.setCookie, cookie)
      }
    case .failure(let error):
      exchanges[last].outcome = .failure((error as? LoadError)?.kind.description ?? "cancelled")
    }
  }

  /// A whole response is to be judged and parsed.
  mutating func receive(_ response: Response) { self.response = response }

  /// What another load did, on behalf of this one too.
  mutating func absorb(_ other: ErrorContext) {
    exchanges += other.exchanges
    response = other.response ?? response
  }
}

extension ErrorContext {
  /// The error to throw: cancellation as it is, all else as a `LoadError` with what is known.
  ///
  /// Each step is bounded by the size of what it reads, which is bounded as well.
  ///
  /// - Parameter isOver: Whether the time for it is over: then the response is told without its headers and body.
  func explain(_ error: any Error, isOver: () -> Bool = { false }) -> any Error {
    if error is CancellationError { return error }
    var explained = error as? LoadError ?? LoadError(middleware: error)
    let redactor = redactor
    let known = redactor.known
    // As it was sent, with what stages and signatures have added; as it was described if nothing was.
    explained.request =
      explained.request
      ?? exchanges.last?.request.curlCommand(secretNames: request.options.secretNames)
      ?? request.curlCommand
    if explained.attempts.isEmpty {
      explained.attempts = exchanges.map { exchange in
        LoadError.Attempt(
          method: exchange.request.method,
          url: redactor.redact(url: exchange.request.url.absoluteString, known),
          outcome: exchange.outcome?.text ?? explained.kind.description)
      }
    }
    explained.response =
      explained.response
      ?? response.map { LoadError.ReceivedResponse($0, redactor, known, isOver: isOver) }
    return explained.redacted {
      redactor.redact($0, known)
    } cut: {
      redactor.redact(cut: $0, known)
    }
  }

  private var redactor: Redactor {
    var redactor = Redactor(request)
    for exchange in exchanges {
      redactor.note(url: exchange.request.url.absoluteString)
      redactor.note(headers: exchange.request.headers)
      redactor.note(received: exchange.cookies)
    }
    if let response { redactor.note(received: response.headers) }
    return redactor
  }
}

extension LoadError {
  /// What a middleware of the user's threw.
  init(middleware error: any Error) {
    self.init(.middleware, "a middleware threw \(error)", underlying: error)
  }
}

extension LoadError.ReceivedResponse {
  /// A response as an error shows it: its first 64 KiB, without secrets.
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
    // A little more than is kept, so that a secret can't hide behind the cut.
    body =
      isOver()
      ? Data()
      : Data(redactor.redact(Data(response.body.prefix(68 << 10)), known).prefix(64 << 10))
  }
}

extension LoadError {
  /// This error with the secrets replaced in all of its texts.
  ///
  /// - Parameters:
  ///   - redact: Replaces those of a text.
  ///   - cut: The same for a text of which a part was cut off.
  fileprivate func redacted(
    by redact: (String) -> String, cut: (String) -> String
  ) -> LoadError {
    var redacted = self
    redacted.reason = redact(reason)
    redacted.advice = advice.map(redact)
    redacted.request = request.map(redact)
    redacted.serverMessage = serverMessage.map(cut)
    redacted.parsing?.snippet = parsing?.snippet.map(cut)
    redacted.parsing?.path = redact(parsing?.path ?? "")
    return redacted
  }
}
