import Foundation
import ResourceLoading
import ResourcePrimitives

/// The facts about a request and its response in a span.
struct HTTPFacts: Sendable {
  var method: Request.Method
  var url: URL
  var template: PathTemplate
  var secretNames: Set<String>?
  /// The headers of the request. Their secrets are also replaced in the URL.
  var headers: Headers
  /// The number of requests that the load sent before this one.
  var resendCount = 0
  var status: Status?
  var httpVersion: String?
  /// The other end of the connection.
  var peer: ExchangeMetrics.Peer?
  var source: Response.Source?
  var failure: Failure?

  /// Why there is no response or no value.
  struct Failure: Sendable {
    /// A short name from a small set.
    var type: String
    /// The reason in words, without secrets; `nil` if the words might contain secrets.
    var reason: String?
  }

  init(
    method: Request.Method, url: URL, template: PathTemplate, secretNames: Set<String>?,
    headers: Headers
  ) {
    self.method = method
    self.url = url
    self.template = template
    self.secretNames = secretNames
    self.headers = headers
  }
}

extension HTTPFacts {
  init(_ request: Request) {
    self.init(
      method: request.method, url: request.url, template: request.template,
      secretNames: request.options.secretNames, headers: request.headers)
  }

  init(_ exchange: ObservedExchange) {
    self.init(
      method: exchange.method, url: exchange.url, template: exchange.template,
      secretNames: exchange.secretNames, headers: exchange.headers)
    resendCount = exchange.number
  }

  /// Whether the method is in OpenTelemetry's conventions. Others could have any number of values.
  var isKnownMethod: Bool {
    switch method.rawValue {
    case "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE": true
    default: false
    }
  }

  /// The texts in the name and the attributes of a span.
  struct Texts {
    /// Without secrets.
    var url: String
    var template: String?
  }

  /// The texts, which are created on each access.
  var texts: Texts {
    let text = url.absoluteString
    let redactor = TextRedactor(url: text, headers, secretNames: secretNames)
    let redacted = redactor.redact(url: text)
    let template = template.text(in: text)
    // If the URL has no secrets, neither do its parts.
    return Texts(
      url: redacted,
      template: redacted == text
        ? template : template.map { redactor.redact($0) })
  }

  func errorType(in kind: TraceSpan.Kind) -> String? {
    if let failure { return failure.type }
    guard kind == .exchange, let status, status.rawValue >= 400 else { return nil }
    return String(status.rawValue)
  }

  /// Calls a closure for each attribute of the request.
  func forEachAttribute(
    _ texts: Texts, _ body: (StaticString, TraceSpan.Attribute.Value) -> Void
  ) {
    if isKnownMethod {
      body("http.request.method", .string(method.rawValue))
    } else {
      body("http.request.method", .string("_OTHER"))
      body("http.request.method_original", .string(method.rawValue.printable))
    }
    let origin = url.origin
    body("server.address", .string(origin.host))
    body("server.port", .integer(origin.port))
    body("url.full", .string(texts.url))
    if let template = texts.template { body("url.template", .string(template)) }
  }
}

extension HTTPFacts.Failure {
  /// Creates the failure of a request, without its text, which might contain secrets.
  init(exchange error: any Error) {
    switch error {
    case is CancellationError: type = "cancelled"
    case let error as LoadError: type = error.kind.rawValue
    default: type = "_OTHER"
    }
  }

  /// Creates the failure of a load. Its text has been redacted.
  init(load error: any Error) {
    self.init(exchange: error)
    guard let error = error as? LoadError else { return }
    if error.kind == .status, let status = error.status {
      type = String(status.rawValue)
    }
    reason = "\(error.kind): \(error.reason)".printable
  }
}

extension Response.Source {
  var name: String {
    switch self {
    case .network: "network"
    case .cache: "cache"
    case .revalidated: "revalidated"
    case .stale: "stale"
    @unknown default: "other"
    }
  }
}
