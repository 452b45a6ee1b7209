internal import Foundation
internal import ResourceLoading

/// Asking whether what is stored is still good (RFC 9111 section 4.3).
extension CachedLoad {
  /// What came of asking.
  private enum Answer {
    case isGood(StoredResponse)
    case isReplaced(Response)
    /// There was none, but what is stored may stand in.
    case failed(LoadError)
  }

  /// Asks, and waits for the answer.
  func revalidate(_ stored: StoredResponse) async throws -> Response {
    switch try await ask(about: stored) {
    case .isGood(let fresh): return try serve(fresh, .revalidated)
    case .isReplaced(let response): return response
    case .failed(let error):
      return try serve(stored, .stale(age: stored.age(at: next.date), because: .failed(error)))
    }
  }

  /// Asks for next time. If that fails, the next load tells.
  func revalidateInBackground(_ stored: StoredResponse) {
    let same = Request(url: predicted.url, headers: predicted.headers)
    next.inBackground(request.withoutConditions, as: same) {
      [storage, partitions, mark, request = request.withoutConditions] next in
      let load = CachedLoad(request, through: next, storage, partitions, since: mark)
      guard load.key == key else { return }
      _ = try? await load.ask(about: stored)
    }
  }

  private func ask(about stored: StoredResponse) async throws -> Answer {
    let mark = await storage.ask(mark, next.report)
    let requestDate = next.date
    let response: Response
    do {
      response = try await next(conditional(stored))
    } catch {
      guard let error = error as? LoadError, error.isAbsence, !next.isOver, isSameOwner,
        stored.mayStandIn(for: .disconnected, predicted, now: next.date)
      else { throw error }
      return .failed(error)
    }
    return try await judge(response, about: stored, since: mark, requestDate)
  }

  private func judge(
    _ response: Response, about stored: StoredResponse, since mark: LoadMark, _ requestDate: Date
  ) async throws -> Answer {
    let outcome = ValidationOutcome(
      of: stored, by: response, to: predicted, requestDate: requestDate, now: next.date)
    switch outcome {
    // A 304 to somebody else says nothing about what this one may see.
    case .isGood(let fresh) where isForOwner(response):
      await renew(fresh, since: mark)
      return .isGood(fresh)
    case .standIn where isForOwner(response): return .failed(LoadError(status: response))
    case .isGood, .isMistaken: return .isReplaced(try await send(replacing: true))
    case .standIn, .isReplaced:
      await keep(response, replacing: true, since: mark, requestDate)
      return .isReplaced(response)
    }
  }

  /// Stores what a 304 has renewed, unless that forbids it.
  private func renew(_ fresh: StoredResponse, since mark: LoadMark) async {
    guard StoringRule.mayStore(fresh.response, to: predicted) else {
      return await storage.drop(key, next.report)
    }
    await storage.store(fresh, for: key, since: mark, next.report)
  }

  /// Whether a response was sent to the one whose stored response this load has found.
  private func isForOwner(_ response: Response) -> Bool {
    response.provenance.map { partition(sending: $0.headers) == key.partition } ?? false
  }

  /// The request with the validators, and with a little less time than the load has, so that there is some left
  /// for what stands in.
  private func conditional(_ stored: StoredResponse) -> Request {
    var request = endToEnd(request).validating(stored.response)
    if let left = next.remainingTime,
      stored.mayStandIn(for: .disconnected, predicted, now: next.date)
    {
      let most = left * 9 / 10
      request.options.attemptTimeout = min(request.options.attemptTimeout ?? most, most)
    }
    return request
  }
}

extension LoadError {
  /// Whether there was no answer at all: what is stored may stand in.
  fileprivate var isAbsence: Bool { kind == .connection || kind == .timedOut }
}
