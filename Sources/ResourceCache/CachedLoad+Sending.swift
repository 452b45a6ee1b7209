internal import Foundation
internal import ResourceLoading
internal import ResourcePrimitives

// Sending requests, and storing their responses.
extension CachedLoad {
  /// Sends the request without conditions. `isReplacing` means that there may be a stored response
  /// that the new one replaces.
  func send(replacing isReplacing: Bool) async throws -> Response {
    let mark = await storage.mark(mark, next)
    let response = try await next(endToEnd(request))
    await store(response, replacing: isReplacing, since: mark)
    return response
  }

  /// Returns the request for the server. With the policy `reload`, caches on the way revalidate,
  /// too (RFC 9111 section 5.2.1.1).
  func endToEnd(_ request: Request) -> Request {
    guard request.options.cachePolicy == .reload, request.headers[.cacheControl] == nil else {
      return request
    }
    return request.header(.cacheControl, "max-age=0")
  }

  /// Stores a response in the partition of the request as it was sent. If the response may not be
  /// stored but replaces a stored one, the stored one is removed.
  func store(
    _ response: Response, replacing isReplacing: Bool, since mark: LoadMark
  ) async {
    // A response from other middleware may be for any credential.
    guard let provenance = response.provenance, let identity = provenance.identities.first,
      let partition = partition(of: provenance)
    else {
      if isReplacing { await storage.drop(.entry(self.key), next.report) }
      return
    }
    let sent = request(sending: identity.headers)
    let key = CacheKey(url: self.key.url, partition: partition, content: self.key.content)
    let stored = StoredResponse(
      response, to: sent, under: key, requestDate: requestDate(of: response),
      responseDate: next.date)
    let isPredictable = isPredicted(stored, key)
    if isPredictable, StoringRule.mayStore(response, to: sent),
      StoringRule.mayStore(after: provenance.redirects), !mark.isLater(than: response)
    {
      await keep(key == self.key ? await combined(stored) : stored, for: key, since: mark)
    } else if isReplacing, request.headers[.range] == nil, response.status.isAboutResource {
      await storage.drop(.entry(self.key), next.report)
    }
  }

  /// Returns the date on which the request was sent, after all waits and earlier attempts.
  func requestDate(of response: Response) -> Date {
    let now = next.now
    guard let start = response.provenance?.start else { return now.date }
    return now.date.addingTimeInterval(-(now.uptime - start).seconds)
  }

  /// Returns whether the same request would now find the response. That is so if its credential,
  /// and the other headers that `Vary` names, are known before it is sent.
  private func isPredicted(_ stored: StoredResponse, _ key: CacheKey) -> Bool {
    let predicted = next.predicted(request)
    return partition(of: predicted) == key.partition
      && stored.isSelected(by: predicted)
  }
}

extension CachedLoad {
  /// Stores a response that was updated, if it is still stored and hasn't been replaced. A removal
  /// that was under way when it was read, or one by another cache with the same storage, may have
  /// ended before the mark.
  func update(
    _ old: StoredResponse, by fresh: StoredResponse, since mark: LoadMark
  ) async {
    guard let stored = try? await stored(),
      stored.contains(where: { $0.variant == old.variant && $0.arrived(with: old) })
    else { return }
    await keep(fresh, for: key, since: mark)
  }

  private func keep(_ response: StoredResponse?, for key: CacheKey, since mark: LoadMark) async {
    guard let response else { return }
    let isStored = await storage.store(response, for: key, since: mark, next.report)
    guard isStored, key == self.key else { return }
    flight?.noteStored(isUsable: decision([response]).usesStored)
  }
}

// Responses to `HEAD`, which update stored responses (RFC 9111 section 4.3.5).
extension CachedLoad {
  func sendHead(for stored: [StoredResponse]) async throws -> Response {
    let mark = await storage.mark(mark, next)
    let response = try await next(request)
    guard let provenance = response.provenance, response.status == .ok,
      !mark.isLater(than: response),
      partition(of: provenance) == key.partition
    else { return response }
    for stored in stored where stored.isSelected(by: predicted) {
      let fresh = stored.freshened(
        by: response, requestDate: requestDate(of: response), responseDate: next.date)
      if stored.isConfirmed(byHead: response), stored.mayBecome(fresh), !fresh.control.noStore {
        await update(stored, by: fresh, since: mark)
      } else {
        await storage.drop(.entry(key), next.report)
      }
    }
    return response
  }
}

// Revalidation of stored responses (RFC 9111 section 4.3).
extension CachedLoad {
  enum Revalidation {
    /// The stored response is used, either updated by a 304 or stale because the request failed.
    case stored(StoredResponse, Response.Source)
    case replaced(Response)
  }

  /// Revalidates a stored response before it is used.
  func revalidate(_ stored: StoredResponse) async throws -> Response {
    switch try await validate(stored) {
    case .stored(let stored, let source): return try serve(stored, source)
    case .replaced(let response): return response
    }
  }

  /// Revalidates a stored response for later loads. Errors are ignored, because the next load will
  /// get them, too.
  func revalidateInBackground(_ stored: StoredResponse) {
    let same = Request(
      key.method, url: predicted.url, headers: predicted.headers, body: predicted.body)
    next.inBackground(request.withoutConditions, as: same) {
      [key, storage, partitions, mark, request = request.withoutConditions] next in
      let load = CachedLoad(
        request, key.content, through: next, storage, partitions, since: mark)
      guard load.key == key else { return }
      try? await load.validateInTurn(stored)
    }
  }

  func validate(_ stored: StoredResponse) async throws -> Revalidation {
    let mark = await storage.mark(mark, next)
    let response: Response
    do {
      response = try await next(conditional(stored))
    } catch {
      guard let error = error as? LoadError, error.isDisconnection, !Task.isCancelled,
        isSamePartition
      else { throw error }
      if stored.mayBeUsedStale(after: .disconnected, predicted, now: next.date) {
        return stale(stored, because: error)
      }
      guard stored.mustBeRevalidated else { throw error }
      return .replaced(.gatewayTimeout(to: request, because: error))
    }
    return try await evaluate(response, about: stored, since: mark)
  }

  private func evaluate(
    _ response: Response, about stored: StoredResponse, since mark: LoadMark
  ) async throws -> Revalidation {
    let outcome = ValidationOutcome(
      of: stored, by: response, to: predicted, requestDate: requestDate(of: response),
      now: next.date)
    switch outcome {
    // A 304 for another credential doesn't permit using this response.
    case .notModified(let fresh) where isForPartition(response):
      if !mark.isLater(than: response) { await updateOrDrop(stored, by: fresh, since: mark) }
      return .stored(fresh, .revalidated)
    case .staleAllowed where isForPartition(response):
      return stale(stored, because: LoadError(status: response))
    case .notModified, .mismatch: return .replaced(try await send(replacing: true))
    case .staleAllowed, .replaced:
      await store(response, replacing: true, since: mark)
      return .replaced(response)
    }
  }

  private func stale(_ stored: StoredResponse, because error: LoadError) -> Revalidation {
    .stored(stored, .stale(age: stored.age(at: next.date), because: .failed(error)))
  }

  /// Stores a response that a 304 has updated, unless the 304 forbids storing.
  private func updateOrDrop(
    _ old: StoredResponse, by fresh: StoredResponse, since mark: LoadMark
  ) async {
    guard StoringRule.mayStore(fresh.response, to: predicted), old.mayBecome(fresh) else {
      return await storage.drop(.entry(key), next.report)
    }
    await update(old, by: fresh, since: mark)
  }

  /// Whether the request of a response was sent with the credential of this load.
  func isForPartition(_ response: Response) -> Bool {
    response.provenance.flatMap { partition(of: $0) } == key.partition
  }

  /// Returns the request with validators. If the stored response may be used stale, the request
  /// gets nine tenths of the remaining time, so that the load can still succeed.
  private func conditional(_ stored: StoredResponse) -> Request {
    var request = endToEnd(request).validating(stored.response)
    if let left = next.remainingTime,
      stored.mayBeUsedStale(after: .disconnected, predicted, now: next.date)
    {
      let most = left * 9 / 10
      request.options.attemptTimeout = min(request.options.attemptTimeout ?? most, most)
    }
    return request
  }
}

extension Status {
  /// Whether a response with it replaces what is stored, even if it isn't stored itself. Others are
  /// about the conditions of the request, its time, or a failure of the server.
  fileprivate var isAboutResource: Bool {
    (200..<500).contains(rawValue) && ![304, 408, 412, 425, 428, 429, 431].contains(rawValue)
  }
}

extension StoredResponse {
  /// Whether both are copies of one response.
  fileprivate func arrived(with other: StoredResponse) -> Bool {
    requestDate == other.requestDate && responseDate == other.responseDate
  }
}

extension LoadError {
  /// Whether there was no response at all.
  fileprivate var isDisconnection: Bool { kind == .connection || kind == .timedOut }
}
