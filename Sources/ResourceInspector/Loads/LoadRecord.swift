import Foundation
import ResourceLoading
import ResourcePrimitives

/// The record of one load, which its events change. Nothing is formatted or redacted before it is
/// shown.
struct LoadRecord: Sendable {
  /// The number of the load in the inspector, from 1.
  let id: Int
  let key: Key
  /// The complete request, without a body of more than ``maximumBodySize`` bytes.
  let request: Request
  /// The size of the body that was left out; `nil` for none.
  let omittedBodySize: Int?
  /// When the load began, counted from the creation of the inspector.
  let start: Duration
  /// The number of the last change, counted over all loads.
  var change = 0
  private(set) var trace: LoadEvent.Trace?
  private(set) var secretNames: Set<String>?
  private(set) var exchanges: [ExchangeRecord] = []
  /// The number of exchanges and remarks beyond ``maximumCount``.
  private(set) var omitted = 0
  /// The events that need words: retries, new credentials, and failures of a cache.
  private(set) var remarks: [LoadEvent] = []
  private(set) var source: Response.Source?
  private(set) var isCoalesced = false
  /// The number of the load within its client whose exchange this one shared.
  private(set) var sharedLoad: UInt64?
  /// Since when the load has been waiting for its turn; `nil` if it isn't waiting.
  private(set) var queued: Duration?
  private(set) var end: End?
  /// Why the next request is sent, if that is known.
  private var nextReason: ExchangeRecord.Reason?

  /// The client and the number within it.
  struct Key: Hashable, Sendable {
    let client: Int
    let load: UInt64
  }

  struct End: Sendable {
    let time: Duration
    let outcome: Outcome
  }

  enum Outcome: Sendable {
    case succeeded
    case cancelled
    case failed(LoadError)
  }

  /// The most exchanges and the most remarks of one load.
  static let maximumCount = 64

  /// The most bytes of a request's body that are kept.
  static let maximumBodySize = 4 << 10

  init(_ request: Request, id: Int, key: Key, start: Duration) {
    self.id = id
    self.key = key
    self.start = start
    let size = request.body?.sizeInMemory ?? 0
    omittedBodySize = size > Self.maximumBodySize ? size : nil
    var request = request
    if omittedBodySize != nil { request.body = nil }
    self.request = request
  }
}

extension LoadRecord {
  /// Adds an event, and returns the end of the load if that was it.
  mutating func note(_ event: LoadEvent, change: Int) -> (end: End, host: String)? {
    let hadEnded = end != nil
    note(event)
    self.change = change
    guard !hadEnded, let end else { return nil }
    return (end, host)
  }

  /// Records an event.
  mutating func note(_ event: LoadEvent) {
    if trace == nil { trace = event.trace }
    let time = event.elapsed
    switch event.kind {
    case .started: secretNames = event.secretNames
    case .queued: queued = queued ?? time
    case .sent(let method, let url): begin(method, url, at: time)
    case .received(let status):
      changeLast {
        $0.received == nil
      } by: {
        $0.received = time
        $0.status = status
      }
    case .measured(let metrics):
      changeLast {
        $0.metrics == nil
      } by: {
        $0.metrics = metrics
      }
    case .completed(let status, let bytes):
      changeLast {
        $0.received != nil
      } by: {
        $0.status = status
        $0.bytes = bytes
        $0.ended = time
      }
    case .retrying:
      breakOff(at: time)
      nextReason = .retry
      remark(event)
    case .refreshingCredential:
      nextReason = .authentication
      remark(event)
    case .cacheFailed, .hedged, .circuit: remark(event)
    case .coalesced:
      isCoalesced = true
      sharedLoad = event.sharedLoad
    case .fromCache(let source): self.source = source
    case .parsed: finish(.succeeded, at: time)
    case .failed(let error):
      breakOff(at: time)
      finish((error as? LoadError).map { .failed($0.brief) } ?? .cancelled, at: time)
    @unknown default: break
    }
  }

  private mutating func begin(_ method: RequestMethod, _ url: URL, at time: Duration) {
    let reason = nextReason ?? guessedReason
    nextReason = nil
    defer { queued = nil }
    guard exchanges.count < Self.maximumCount else {
      omitted += 1
      return
    }
    exchanges.append(ExchangeRecord(method, url, for: reason, queued: queued, sent: time))
  }

  private var guessedReason: ExchangeRecord.Reason {
    if end != nil { return .revalidation }
    guard let last = exchanges.last else { return .first }
    switch last.status?.rawValue {
    case 301, 302, 303, 307, 308: return .redirect
    case 401: return .authentication
    default: return .further
    }
  }

  /// Changes the last exchange that hasn't ended and fulfils a condition. Events of a load's
  /// simultaneous exchanges don't name theirs.
  private mutating func changeLast(
    _ isMeant: (ExchangeRecord) -> Bool, by change: (inout ExchangeRecord) -> Void
  ) {
    guard let index = exchanges.lastIndex(where: { $0.ended == nil && isMeant($0) }) else { return }
    change(&exchanges[index])
  }

  private mutating func breakOff(at time: Duration) {
    for index in exchanges.indices where exchanges[index].ended == nil {
      exchanges[index].ended = time
      exchanges[index].hasFailed = true
    }
  }

  private mutating func remark(_ event: LoadEvent) {
    if remarks.count < Self.maximumCount { remarks.append(event) } else { omitted += 1 }
  }

  private mutating func finish(_ outcome: Outcome, at time: Duration) {
    guard end == nil else { return }
    end = End(time: time, outcome: outcome)
    queued = nil
  }
}

extension LoadRecord {
  /// The status of the last response.
  var status: Status? { exchanges.last { $0.status != nil && $0.reason != .revalidation }?.status }

  /// The host, without its port.
  var host: String {
    if case .url(let url) = request.address { url.foldedHost ?? "" } else { "" }
  }

  /// The time between the last complete response and the end of the load.
  var parsing: ExchangeRecord.Phase? {
    guard let end, case .succeeded = end.outcome,
      let completed = exchanges.last(where: { $0.reason != .revalidation })?.ended,
      completed < end.time
    else { return nil }
    return ExchangeRecord.Phase(name: .parse, start: completed, end: end.time)
  }
}

extension LoadError {
  /// The error without what may be large: its description is the same, unless there were very many
  /// attempts.
  fileprivate var brief: LoadError {
    var brief = self
    brief.response?.body = Data(response?.body.prefix(4 << 10) ?? Data())
    brief.attempts = Array(attempts.prefix(LoadRecord.maximumCount))
    brief.underlying = nil
    brief.errorBody = nil
    return brief
  }
}
