internal import Foundation
internal import ResourceLoading

/// Sending what can't be answered from what is stored, and keeping the answer.
extension CachedLoad {
  /// Sends the request as it is.
  ///
  /// - Parameter isReplacing: Whether something may be stored that the response makes useless.
  func send(replacing isReplacing: Bool) async throws -> Response {
    let mark = await storage.ask(mark, next.report)
    let requestDate = next.date
    let response = try await next(endToEnd(request))
    await keep(response, replacing: isReplacing, since: mark, requestDate)
    return response
  }

  /// The request as it goes to the server: a reload asks the caches on the way, too (RFC 9111 section 5.2.1.1).
  func endToEnd(_ request: Request) -> Request {
    guard request.options.cachePolicy == .reload, request.headers[.cacheControl] == nil else {
      return request
    }
    return request.header(.cacheControl, "max-age=0")
  }

  /// Stores a response under whom it was sent to. If it may not be stored, but is newer than what is, that goes.
  func keep(
    _ response: Response, replacing isReplacing: Bool, since mark: LoadMark, _ requestDate: Date
  ) async {
    // Who makes up responses may have made them of anybody's.
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
    let mayBeFound = Self.foretells(stored, key, load: self)
    if mayBeFound, StoringRule.mayStore(response, to: sent),
      StoringRule.mayStore(after: provenance.redirects)
    {
      await storage.store(stored, for: key, since: mark, next.report)
    } else if isReplacing, (200..<500).contains(response.status.rawValue),
      response.status != .notModified
    {
      await storage.drop(self.key, next.report)
    }
  }

  /// Whether a request like this one would find a response, if it came now: its credential, and whatever
  /// else `Vary` names, can be told before it is sent.
  private static func foretells(
    _ stored: StoredResponse, _ key: CacheKey, load: CachedLoad
  ) -> Bool {
    let predicted = load.next.predicted(load.request)
    return load.partition(sending: predicted.headers) == key.partition
      && stored.isSelected(by: predicted)
  }
}

/// What a response to `HEAD` says of what is stored (RFC 9111 section 4.3.5).
extension CachedLoad {
  /// Sends a `HEAD`, and brings what is stored up to date by it.
  func sendHead(about stored: [StoredResponse]) async throws -> Response {
    let mark = await storage.ask(mark, next.report)
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
