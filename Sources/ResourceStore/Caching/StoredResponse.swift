package import Foundation
package import ResourceLoading

/// A response that a cache keeps, with what it must know to use it again.
package struct StoredResponse: Sendable, Hashable {
  /// The response, without the fields that belong to its connection.
  package var response: Response
  /// The fields of its request that `Vary` names (RFC 9111 section 4.1), and no others.
  package var selectingHeaders: Headers
  /// When its request was sent.
  package var requestDate: Date
  /// When its head arrived.
  package var responseDate: Date

  /// Makes what a cache keeps of an exchange.
  ///
  /// - Parameters:
  ///   - response: What was answered.
  ///   - request: What was asked.
  ///   - requestDate: When the request was sent.
  ///   - responseDate: When the response's head arrived.
  package init(
    _ response: Response, to request: Request, requestDate: Date, responseDate: Date
  ) {
    self.response = response
    self.response.headers = response.headers.withoutConnectionFields
    self.requestDate = requestDate
    self.responseDate = responseDate
    selectingHeaders = [:]
    for name in response.headers.varyingNames {
      selectingHeaders[name] = request.headers.comparable(name)
    }
  }

  /// Its directives.
  var control: CacheControl { CacheControl(response.headers) }

  /// Its `Date`; without one, when it arrived (RFC 9110 section 6.6.1).
  var date: Date { response.headers.date(.date, now: responseDate) ?? responseDate }
}

extension Headers {
  /// The moment that a field holds, or `nil` where it doesn't.
  func date(_ name: Name, now: Date) -> Date? {
    values(of: name).first.flatMap { HTTPDate($0, now: now)?.date }
  }

  /// Without what belongs to one connection or to a proxy (RFC 9111 section 3.1).
  var withoutConnectionFields: Headers {
    let named = values(of: .connection).flatMap { $0.split(separator: ",") }
    let left = Self.connectionFields.union(named.map { Name(rawValue: $0.trimmed) })
    var kept = Headers()
    for field in self where !left.contains(field.name) { kept.append(field.name, field.value) }
    return kept
  }

  private static let connectionFields: Set<Name> = [
    .connection, "Keep-Alive", "Proxy-Connection", .te, .trailer, .transferEncoding, .upgrade,
    "Proxy-Authenticate", "Proxy-Authentication-Info", .proxyAuthorization,
  ]
}

extension StringProtocol {
  /// Without the white space around it.
  var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
