internal import Foundation
internal import ResourceLoading

// Parts of representations (RFC 9111 sections 3.3 and 3.4).
extension CachedLoad {
  /// Returns what to store for a new response of this load's key: a part together with what is
  /// stored if possible, and anything else unchanged; `nil` for a part of what is completely stored
  /// and may still be the same.
  func combined(_ new: StoredResponse) async -> StoredResponse? {
    guard new.isPartial else { return new }
    let stored = (try? await stored())?.first { $0.variant == new.variant }
    guard let stored else { return new.completed }
    if let combined = stored.combined(with: new), stored.groups.isSubset(of: combined.groups),
      combined.response.body.count <= storage.maximumBodySize
    {
      return combined
    }
    return stored.isPartial || !stored.isMatch(for: new.response) ? new.completed : nil
  }

  /// Requests the rest of a stored part, and returns the complete response. If the representation
  /// has changed, the server sends the new one.
  func complete(
    _ stored: StoredResponse, with rest: RequestedRange
  ) async throws -> Response {
    let mark = await storage.mark(mark, next)
    let response = try await next(asking(for: rest, of: stored))
    switch response.status {
    case .partialContent: break
    case .rangeNotSatisfiable: return try await send(replacing: true)
    default:
      await store(response, replacing: true, since: mark)
      return response
    }
    guard let whole = combined(stored, response), !whole.isPartial else {
      return try await send(replacing: true)
    }
    try checkSize(of: whole.response)
    if let provenance = response.provenance, !mark.isLater(than: response),
      StoringRule.mayStore(whole.response, to: predicted),
      StoringRule.mayStore(after: provenance.redirects), stored.groups.isSubset(of: whole.groups)
    {
      await update(stored, by: whole, since: mark)
    } else {
      await storage.drop(.entry(key), next.report)
    }
    var answer = response
    (answer.status, answer.body) = (whole.response.status, whole.response.body)
    answer.headers = whole.response.headers
    return answer
  }

  private func asking(for rest: RequestedRange, of stored: StoredResponse) -> Request {
    var request = endToEnd(request)
    request.headers[.range] = rest.field
    request.headers[.ifRange] = stored.response.headers.strongValidator
    return request
  }

  /// Combines a stored part with the rest of it, if that was sent with the same credential.
  private func combined(_ stored: StoredResponse, _ rest: Response) -> StoredResponse? {
    guard isForPartition(rest), let identity = rest.provenance?.identities.first else { return nil }
    let rest = StoredResponse(
      rest, to: request(sending: identity.headers), under: key,
      requestDate: requestDate(of: rest), responseDate: next.date)
    return stored.combined(with: rest)
  }
}
