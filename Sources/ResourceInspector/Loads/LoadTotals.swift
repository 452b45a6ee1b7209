import ResourceLoading

/// What all loads amount to, including those that are no longer kept.
struct LoadTotals: Sendable {
  private(set) var begun = 0
  private(set) var succeeded = 0
  private(set) var failed = 0
  private(set) var cancelled = 0
  private(set) var requests = 0
  private(set) var retries = 0
  private(set) var coalesced = 0
  private(set) var fromCache = 0
  private(set) var revalidated = 0
  private(set) var stale = 0
  /// The bytes of the decoded bodies that arrived.
  private(set) var bytes = 0
  /// The number of failures by their kinds.
  private(set) var failures: [LoadError.Kind: Int] = [:]
  private(set) var hosts: [String: HostTotals] = [:]

  /// The most hosts and the most kinds of failures that are counted apart from one another.
  static let maximumCount = 64
  /// The name for the hosts beyond ``maximumCount``.
  static let otherHosts = "other hosts"
  private static let otherKinds = LoadError.Kind(rawValue: "other")

  var running: Int { begun - succeeded - failed - cancelled }
}

/// What the loads of one host amount to.
struct HostTotals: Sendable {
  var failed = 0
  var latencies = LatencyHistogram()
}

extension LoadTotals {
  /// Counts an event.
  mutating func note(_ event: LoadEvent.Kind) {
    switch event {
    case .started: begun += 1
    case .sent: requests += 1
    case .completed(_, let bytes): self.bytes += bytes
    case .retrying: retries += 1
    case .coalesced: coalesced += 1
    case .fromCache(.cache): fromCache += 1
    case .fromCache(.revalidated): revalidated += 1
    case .fromCache(.stale): stale += 1
    case .parsed: succeeded += 1
    case .failed(let error as LoadError):
      failed += 1
      let isKnown = failures.count < Self.maximumCount || failures[error.kind] != nil
      failures[isKnown ? error.kind : Self.otherKinds, default: 0] += 1
    case .failed: cancelled += 1
    default: break
    }
  }

  /// Counts the end of a load of a host. Cancelled loads don't count.
  mutating func note(_ end: LoadRecord.End, of host: String) {
    if case .cancelled = end.outcome { return }
    let isKnown = hosts.count < Self.maximumCount || hosts[host] != nil
    let host = isKnown ? host : Self.otherHosts
    hosts[host, default: HostTotals()].note(end)
  }
}

extension HostTotals {
  fileprivate mutating func note(_ end: LoadRecord.End) {
    if case .failed = end.outcome { failed += 1 }
    latencies.add(end.time)
  }
}
