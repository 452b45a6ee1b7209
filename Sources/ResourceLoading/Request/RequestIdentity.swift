package import Foundation
import ResourcePrimitives

/// Everything in a request by which a server may distinguish users, as it was sent or would be sent
/// now.
///
/// The exchange runner creates it once, from the request for the transport. Caches and coalescing
/// compare it with what they expected, and errors know from it which secrets were sent.
package struct RequestIdentity: Sendable {
  /// The requested URL: that of the request after the middleware, or the target of a redirect.
  package let target: URL
  /// The same URL with what a signature has added or changed. Upgrading it to https changes nothing
  /// here.
  package let url: URL
  /// The headers as they are sent, with credentials, cookies and signatures.
  package let headers: Headers
  /// What the transport adds: ``Transport/identity(for:)``.
  let connection: String?
  /// ``Request/Options/secretNames``.
  let secretNames: Set<String>?
  /// The number of redirects before it.
  let redirects: Int

  /// Stores what was sent. `target` is the URL before the signature.
  init(
    sending wire: WireRequest, to target: URL, signed: Bool, connection: String?,
    secretNames: Set<String>?, redirects: Int
  ) {
    (self.target, url, headers) = (target, signed ? wire.url : target, wire.headers)
    (self.connection, self.secretNames, self.redirects) = (connection, secretNames, redirects)
  }

  /// Predicts what would be sent for a request with its credentials and cookies.
  init(predicting request: Request, connection: String?) {
    let url = request.url
    (target, self.url, headers) = (url, url, request.headers)
    (self.connection, secretNames, redirects) = (connection, request.options.secretNames, 0)
  }
}

extension RequestIdentity {
  /// Something in a request that may be a credential.
  package struct Credential: Sendable, Hashable {
    /// The name of a header in lower case; for other things a text that can't be one.
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// Returns all that may be a credential, in an order that doesn't depend on that of different
  /// headers: headers that aren't harmless, additions to the URL that the caller knows, and what
  /// the transport adds. `shared` are additional harmless headers.
  package func credentials(asking asked: URL, sharing shared: Set<Headers.Name> = [])
    -> [Credential]
  {
    var credentials = Self.credentials(in: headers, sharing: shared, besides: secretNames)
    credentials += url.credentials(besides: asked)
    if let connection { credentials.append(Credential(":connection", connection)) }
    return credentials
  }

  /// Returns the credentials of headers, sorted by their names. The order of fields with the same
  /// name may be significant.
  package static func credentials(
    in headers: Headers, sharing shared: Set<Headers.Name>, besides secrets: Set<String>?
  ) -> [Credential] {
    let credentials = headers.filter {
      !$0.name.isHarmless(besides: secrets) && !shared.contains($0.name)
    }
    .map { Credential($0.name.rawValue.lowercased(), $0.value) }
    // Sorting is stable.
    return credentials.count < 2 ? credentials : credentials.sorted { $0.name < $1.name }
  }
}

extension URL {
  /// Returns what may be a credential in this URL, because another one doesn't have it: the query
  /// items that were added, or the whole URL if there are other differences.
  fileprivate func credentials(besides asked: URL) -> [RequestIdentity.Credential] {
    guard self != asked else { return [] }
    let (text, askedText) = (normalizedText, asked.normalizedText)
    guard text != askedText else { return [] }
    let (sent, known) = (text.cut(at: "?"), askedText.cut(at: "?"))
    let items = (sent?.behind ?? "").parts(between: "&")
    var rest = (known?.behind ?? "").parts(between: "&")[...]
    var added: [RequestIdentity.Credential] = []
    for item in items {
      if item == rest.first {
        rest.removeFirst()
      } else {
        added.append(.init(":query", String(item)))
      }
    }
    guard rest.isEmpty, (sent?.before ?? text[...]) == (known?.before ?? askedText[...]),
      !added.isEmpty
    else { return [.init(":url", text)] }
    return added
  }
}

extension Headers.Name {
  /// Whether a request header is neither a credential nor selects a response without being named in
  /// `Vary`: all headers that may be sent to any origin, and some more.
  ///
  /// - Parameter secrets: Further names of secrets: `Request.Options.secretNames`.
  package func isHarmless(besides secrets: Set<String>? = nil) -> Bool {
    if let secrets, Secrets.isSecret(name: rawValue, or: secrets) { return false }
    if isForAllOrigins() || Self.harmless.contains(self) { return true }
    let name = rawValue.lowercased()
    return Self.harmlessPrefixes.contains { name.begins(with: $0) } && !Secrets.isSecret(name: name)
  }

  private static let harmlessPrefixes = ["sec-", "x-b3-"]

  private static let harmless: Set<Headers.Name> = [
    "Date", "Max-Forwards", "Connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding",
    "Upgrade", "Upgrade-Insecure-Requests", "DNT", "Priority", "Save-Data", "Idempotency-Key",
    "traceparent", "tracestate", "b3", "X-Request-ID", "X-Correlation-ID", "X-Amzn-Trace-Id",
  ]
}
