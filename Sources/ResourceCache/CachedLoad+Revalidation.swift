internal import Foundation
internal import ResourceLoading

// Revalidation of stored responses (RFC 9111 section 4.3).
extension CachedLoad {
  private enum Revalidation {
    case notModified(StoredResponse)
    case replaced(Response)
    /// The request failed, and the stored response may be used stale.
    case failed(LoadError)
  }

  /// Revalidates a stored response before it is used.
  ///
  /// - Throws: What sending throws, unless the stored response may be used stale, and a `LoadError` of kind `tooLarge`.
  func revalidate(_ stored: StoredResponse) async throws -> Response {
    switch try await validate(stored) {
    case .notModified(let fresh): return try serve(fresh, .revalidated)
    case .replaced(let response): return response
    case .failed(let error):
      return try serve(stored, .stale(age: stored.age(at: next.date), because: .failed(error)))
    }
  }

  /// Revalidates a stored response for later loads. An error is ignored here, because the next load meets it again.
  func revalidateInBackground(_ stored: StoredResponse) {
    let same = Request(url: predicted.url, headers: predicted.headers)
    next.inBackground(request.withoutConditions, as: same) {
      [storage, partitions, mark, request = request.withoutConditions] next in
      let load = CachedLoad(request, through: next, storage, partitions, since: mark)
      guard load.key == key else { return }
      _ = try? await load.validate(stored)
    }
  }

  /// - Throws: What sending throws, unless the stored response may be used stale.
  private func validate(_ stored: StoredResponse) async throws -> Revalidation {
    let mark = await storage.mark(mark, next.report)
    let requestDate = next.date
    let response: Response
    do {
      response = try await next(conditional(stored))
    } catch {
      guard let error = error as? LoadError, error.isDisconnection, !next.isOver,
        isSamePartition,
        stored.mayBeUsedStale(after: .disconnected, predicted, now: next.date)
      else { throw error }
      return .failed(error)
    }
    return try await evaluate(response, about: stored, since: mark, requestDate)
  }

  /// - Throws: What sending the request again throws.
  private func evaluate(
    _ response: Response, about stored: StoredResponse, since mark: LoadMark, _ requestDate: Date
  ) async throws -> Revalidation {
    let outcome = ValidationOutcome(
      of: stored, by: response, to: predicted, requestDate: requestDate, now: next.date)
    switch outcome {
    // A 304 for another credential doesn't permit using this response.
    case .notModified(let fresh) where isForPartition(response):
      await update(fresh, since: mark)
      return .notModified(fresh)
    case .staleAllowed where isForPartition(response): return .failed(LoadError(status: response))
    case .notModified, .mismatch: return .replaced(try await send(replacing: true))
    case .staleAllowed, .replaced:
      await store(response, replacing: true, since: mark, requestDate)
      return .replaced(response)
    }
  }

  /// Stores a response that a 304 has updated, unless the 304 forbids storing.
  private func update(_ fresh: StoredResponse, since mark: LoadMark) async {
    guard StoringRule.mayStore(fresh.response, to: predicted) else {
      return await storage.drop(key, next.report)
    }
    await storage.store(fresh, for: key, since: mark, next.report)
  }

  /// Whether the request of a response was sent with the credential of this load.
  private func isForPartition(_ response: Response) -> Bool {
    response.provenance.map { partition(sending: $0.headers) == key.partition } ?? false
  }

  /// The request with validators. If the stored response may be used stale, it gets nine tenths of the remaining time, so
  /// that the load can still succeed.
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

extension LoadError {
  /// Whether there was no response at all.
  fileprivate var isDisconnection: Bool { kind == .connection || kind == .timedOut }
}
