internal import Foundation
internal import ResourceLoading

/// A `LoadError` as JSON, with all that its description tells. Its secrets were replaced when it was made.
struct StoredLoadError: Codable {
  var kind, reason: String
  var advice, request, serverMessage, underlying: String?
  var response: ReceivedResponse?
  var parsing: ParsingFailure?
  var attempts: [Attempt]

  struct ReceivedResponse: Codable {
    var url: String
    var status: Int
    var headers: [[String]]
    var body: Data
    var bodySize: Int
  }

  struct ParsingFailure: Codable {
    var path: String
    var expectedType: String?
    var line, column: Int?
    var snippet: String?
  }

  struct Attempt: Codable { var method, url, outcome: String }

  /// The error underneath one that was stored.
  struct Underlying: Error, CustomStringConvertible { let description: String }
}

extension StoredLoadError {
  init(_ error: LoadError) {
    kind = error.kind.rawValue
    reason = error.reason
    advice = error.advice
    request = error.request
    serverMessage = error.serverMessage
    underlying = error.underlying.map { "\($0)" }
    response = error.response.map {
      ReceivedResponse(
        url: $0.url, status: $0.status.rawValue, headers: $0.headers.pairs, body: $0.body,
        bodySize: $0.bodySize)
    }
    parsing = error.parsing.map {
      ParsingFailure(
        path: $0.path, expectedType: $0.expectedType, line: $0.line, column: $0.column,
        snippet: $0.snippet)
    }
    attempts = error.attempts.map {
      Attempt(method: $0.method.rawValue, url: $0.url, outcome: $0.outcome)
    }
  }

  var error: LoadError {
    var error = LoadError(
      LoadError.Kind(rawValue: kind), reason, advice: advice,
      underlying: underlying.map(Underlying.init))
    error.request = request
    error.serverMessage = serverMessage
    error.response = response.map {
      LoadError.ReceivedResponse(
        url: $0.url, status: Status(rawValue: $0.status),
        headers: Headers(pairs: $0.headers) ?? Headers(), body: $0.body, bodySize: $0.bodySize)
    }
    error.parsing = parsing.map {
      LoadError.ParsingFailure(
        path: $0.path, expectedType: $0.expectedType, line: $0.line, column: $0.column,
        snippet: $0.snippet)
    }
    error.attempts = attempts.map {
      LoadError.Attempt(
        method: Request.Method(rawValue: $0.method), url: $0.url, outcome: $0.outcome)
    }
    return error
  }
}

extension LoadError {
  /// Reads an error that was stored.
  init(stored json: Data) {
    self =
      (try? JSONDecoder().decode(StoredLoadError.self, from: json))?.error
      ?? LoadError(.outbox, "the stored error can't be read")
  }

  /// The form in which it is stored.
  var stored: Data { (try? JSONEncoder().encode(StoredLoadError(self))) ?? Data() }
}
