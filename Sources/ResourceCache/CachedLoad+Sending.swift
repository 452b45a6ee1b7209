internal import Foundation
internal import ResourceLoading

// Sending requests, and storing their responses.
extension CachedLoad {
  /// Sends the request without conditions.
  ///
  /// - Parameter isReplacing: Whether there may be a stored response that the new one replaces.
  /// - Throws: What sending throws.
  func send(replacing isReplacing: Bool) async throws -> Response {
    let mark = await storage.mark(mark, next.report)
    let requestDate = next.date
    let response = try await next(endToEnd(request))
    await store(response, replacing: isReplacing, since: mark, requestDate)
    return response
  }

  /// The request for the server; with the policy `reload`, caches on the way revalidate too (RFC 9111 section 5.2.1.1).
  func endToEnd(_ request: Request) -> Request {
    guard request.options.cachePolicy == .reload, request.headers[.cacheControl] == nil else {
      return request
    }
    return request.header(.cacheControl, "max-age=0")
  }

  /// Stores a response in the partition of the request that was really sent. If it may not be stored, but replaces a stored
  /// one, that is removed.
  func store(
    _ response: Response, replacing isReplacing: Bool, since mark: LoadMark, _ requestDate: Date
  ) async {
    // A response from other middleware may be for any credential.
    guard let provenance = response.provenance else {
      if isReplacing { await storage.drop(self.key, next.report) }
      return
    }
    guard request.headers[.range] == nil else { return }
    var sent = request
    sent.headers = provenance.headers
    let key = CacheKey(url: request.url, partition: partition(sending: provenance.headers))
    let stored = StoredResponse(
      response, to: sent, under: key, requestDate: requestDate, responseDate: next.date)
    let isPredictable = isPredicted(stored, key)
    if isPredictable, StoringRule.mayStore(response, to: sent),
      StoringRule.mayStore(after: provenance.redirects)
    {
      await storage.store(stored, for: key, since: mark, next.report)
    } else if isReplacing, (200..<500).contains(response.status.rawValue),
      response.status != .notModified
    {
      await storage.drop(self.key, next.report)
    }
  }

  /// Whether the same request would find a response now: its credential, and the other headers that `Vary` names, are
  /// known before it is sent.
  private func isPredicted(_ stored: StoredResponse, _ key: CacheKey) -> Bool {
    let predicted = next.predicted(request)
    return partition(sending: predicted.headers) == key.partition
      && stored.isSelected(by: predicted)
  }
}

// Responses to `HEAD`, which update stored responses (RFC 9111 section 4.3.5).
extension CachedLoad {
  /// Sends a `HEAD` request, and updates or removes stored responses.
  ///
  /// - Throws: What sending throws.
  func sendHead(for stored: [StoredResponse]) async throws -> Response {
    let mark = await storage.mark(mark, next.report)
    let requestDate = next.date
    let response = try await next(request)
    guard let provenance = response.provenance, response.status == .ok,
      partition(sending: provenance.headers) == key.partition
    else { return response }
    for stored in stored where stored.isSelected(by: predicted) {
      if stored.isConfirmed(byHead: response) {
        let fresh = stored.freshened(
          by: response, requestDate: requestDate, responseDate: next.date)
        await storage.store(fresh, for: key, since: mark, next.report)
      } else {
        await storage.drop(key, next.report)
      }
    }
    return response
  }
}
