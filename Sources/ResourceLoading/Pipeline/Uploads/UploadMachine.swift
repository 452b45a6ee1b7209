import Foundation
import ResourcePrimitives

/// Decides about the steps of an upload: a value whose methods return what to do next.
struct UploadMachine: Sendable {
  /// The rules that come from outside.
  struct Rules: Sendable {
    /// Whether the request of the load may be repeated if its outcome isn't known.
    var mayRepeat: Bool
    /// Whether the upload must be created before any bytes are sent.
    var isCareful: Bool
    /// Whether the last bytes of a request wait until it is stored that the server may have
    /// everything. Otherwise that is stored before the request.
    var delaysEnd: Bool
    /// The most bytes of a request that doesn't begin at 0; `nil` for any number.
    var maximumRequestSize: Int?
    /// The most interruptions in a row.
    var maximumFailures: Int
  }

  private(set) var record: UploadRecord
  let strategy: any UploadStrategy
  private let rules: Rules
  /// Whether the server's offset is known to be ``UploadState/offset``.
  private var isOffsetKnown = false
  /// The number of bytes that may have reached the server in this load; `nil` after an earlier one.
  private var exposed: Int?
  private(set) var failures = 0
  private var restarts = 0
  /// The most bytes that the server has had: getting back what it lost ends no row of failures.
  private var best = 0

  /// - Parameter record: What an earlier load left; without a URL nothing is resumed.
  init(_ record: UploadRecord, by strategy: any UploadStrategy, _ rules: Rules) {
    (self.record, self.strategy, self.rules) = (record, strategy, rules)
    if record.state.url == nil { exposed = 0 }
    best = record.state.offset
  }

  var state: UploadState { record.state }

  /// Sets the hash of the bytes of the next step.
  mutating func setDigest(_ digest: Data?) { record.state.contentDigest = digest }
}

// MARK: - Steps

extension UploadMachine {
  /// Returns the next step. An upload that has expired isn't asked for, but begun anew.
  mutating func next(at date: Date) throws(LoadError) -> UploadStep {
    if hasExpired(at: date), restarts < Self.maximumRestarts {
      restarts += 1
      reset()
    }
    try checkLimits()
    guard state.url != nil else {
      return .create(strategy.firstRange(of: state, isCareful: rules.isCareful))
    }
    guard isOffsetKnown else { return .findOffset }
    return .append(state.offset..<(state.offset + requestSize(from: state.offset)))
  }

  /// Whether the server has probably forgotten the upload, and can't have everything.
  private func hasExpired(at date: Date) -> Bool {
    guard state.url != nil, !isOffsetKnown, !record.mayBeComplete else { return false }
    return state.expires.map { $0 <= date } ?? false
  }

  /// The number of bytes of the next request.
  private func requestSize(from offset: Int) -> Int {
    let rest = state.length - offset
    let own =
      offset > 0
      ? rules.maximumRequestSize.map { max($0, state.limits.minimumRequestSize ?? 0) } : nil
    guard let most = [state.limits.maximumRequestSize, own].compactMap(\.self).min(), most < rest
    else { return rest }
    let multiple = max(1, state.limits.multiple)
    return min(rest, max(multiple, most / multiple * multiple))
  }

  private func checkLimits() throws(LoadError) {
    let limits = state.limits
    if let most = limits.maximumSize, state.length > most {
      throw LoadError(
        .tooLarge, "the upload has \(state.length) bytes, but the server takes at most \(most)")
    }
    if let most = limits.maximumRequestSize, most < max(1, limits.minimumRequestSize ?? 1) {
      throw LoadError(.connection, "the server's limits of an upload contradict each other")
    }
  }

  /// Records that a step begins.
  mutating func begin(_ step: UploadStep) {
    guard let range = step.range else { return }
    let isLast = range.upperBound == state.length
    guard !range.isEmpty || isLast else { return }
    if let exposed { self.exposed = max(exposed, range.upperBound) }
    // Without its end it is nothing yet, and can be created once more.
    if state.url == nil, isLast { record.isLost = true }
    if isLast, !rules.delaysEnd || range.count <= Self.lastBytes { exposeEnd() }
  }

  /// So many bytes before the end storing begins that the server may have everything, so that the
  /// last ones rarely have to wait for it: 1 MiB.
  static let lastBytes = 1 << 20

  /// Records that the server may have everything.
  mutating func exposeEnd(_ isExposed: Bool = true) { record.mayBeComplete = isExposed }
}

extension UploadStep {
  /// The bytes that it sends; `nil` if it sends none by its nature.
  var range: Range<Int>? {
    switch self {
    case .create(let range), .append(let range): range
    case .findOffset, .cancel: nil
    }
  }
}

// MARK: - Answers

extension UploadMachine {
  /// What follows from an answer.
  enum Outcome {
    /// The next step, after a wait if the last one failed.
    case proceed(isFailure: Bool)
    /// The response is that of the upload.
    case finish
  }

  /// Records what a response to a step means.
  mutating func receive(
    _ answer: UploadAnswer, to step: UploadStep, _ status: Status, from url: URL, at date: Date
  ) throws(LoadError) -> Outcome {
    switch answer {
    case .complete: return .finish
    case .incomplete(let report):
      try note(report, from: url, at: date)
      guard state.url != nil, let offset = report.offset else { return try fail() }
      let isProgress = try advance(to: offset)
      // A question and an empty creation bring nothing; an empty end should complete the upload.
      let isFruitless =
        switch step {
        case .create(let range): !range.isEmpty && !isProgress
        case .append: !isProgress
        case .findOffset, .cancel: false
        }
      return isFruitless ? try fail(keepsOffset: true) : .proceed(isFailure: false)
    case .interrupted(let report):
      let known = state.offset
      try note(report, from: url, at: date)
      if let offset = report.offset {
        guard offset <= known || exposed != nil else { return try fail() }
        _ = try advance(to: offset)
        return try fail(keepsOffset: true)
      }
      let wasProcessed = ![408, 425, 429, 503].contains(status)
      return try lose(step, wasStored: wasProcessed)
    case .gone:
      return try restart()
    case .refused(let report):
      let most = state.limits.maximumRequestSize
      try note(report, from: url, at: date)
      // 413: it goes in smaller pieces.
      if status == 413, let range = step.range, let limit = state.limits.maximumRequestSize,
        limit < range.count, limit != most || most.map({ $0 >= range.count }) ?? true
      {
        return try lose(step, wasStored: false)
      }
      return .finish
    }
  }

  /// Records that a step got no response.
  ///
  /// - Parameters:
  ///   - wasSent: Whether it may have reached the server.
  ///   - wasStopped: Whether it was stopped here, because of a new limit.
  mutating func interrupt(
    _ step: UploadStep, wasSent: Bool, wasStopped: Bool = false
  ) throws(LoadError) -> Outcome {
    if wasStopped {
      isOffsetKnown = false
      return .proceed(isFailure: false)
    }
    return try lose(step, wasStored: wasSent)
  }

  /// Records what an interim response tells.
  ///
  /// - Returns: Whether the step may go on.
  mutating func receive(
    interim report: UploadReport, during step: UploadStep, from url: URL, at date: Date
  ) throws(LoadError) -> Bool {
    var report = report
    // What it has got of the step isn't where the next one begins.
    if let offset = report.offset, offset > state.offset, offset <= state.length {
      noteProgress(to: offset)
    }
    report.offset = nil
    try note(report, from: url, at: date)
    try checkLimits()
    guard let most = state.limits.maximumRequestSize, let range = step.range else { return true }
    return range.count <= most
  }

  private mutating func note(
    _ report: UploadReport, from url: URL, at date: Date
  ) throws(LoadError) {
    if let location = report.location {
      guard let target = URL(reference: location, from: url), target.isUploadTarget(from: url)
      else {
        throw LoadError(.connection, "the server names no usable URL for the upload")
      }
      guard state.url == nil || state.url == target else {
        throw LoadError(.connection, "the server names another URL for the same upload")
      }
      record.state.url = target
    }
    if let limits = report.limits { record.state.limits = limits }
    switch report.expiry {
    case .date(let end): record.state.expires = end
    case .age(let age): record.state.expires = date.addingTimeInterval(age.seconds)
    case nil: break
    }
  }

  /// Takes the server's offset.
  ///
  /// - Returns: Whether that is progress.
  private mutating func advance(to offset: Int) throws(LoadError) -> Bool {
    guard (0...state.length).contains(offset), offset <= exposed ?? .max else {
      throw LoadError(
        .connection, "the server has \(offset) bytes of the upload, which weren't sent",
        advice: "Begin the upload anew")
    }
    isOffsetKnown = true
    if offset < state.length { record.mayBeComplete = false }
    return noteProgress(to: offset)
  }

  /// Returns whether the server has more than before.
  @discardableResult
  private mutating func noteProgress(to offset: Int) -> Bool {
    defer { record.state.offset = offset }
    if offset > best { (best, failures) = (offset, 0) }
    return offset > state.offset
  }

  /// The offset, or what became of the first request, isn't known.
  private mutating func lose(
    _ step: UploadStep, wasStored: Bool = true
  ) throws(LoadError) -> Outcome {
    if state.url == nil, wasStored, record.isLost, !rules.mayRepeat { return .finish }
    if state.url == nil { record.isLost = false }
    return try fail()
  }

  private mutating func fail(keepsOffset: Bool = false) throws(LoadError) -> Outcome {
    failures += 1
    if !keepsOffset { isOffsetKnown = false }
    return failures > rules.maximumFailures ? .finish : .proceed(isFailure: true)
  }

  /// Begins anew, because the server has forgotten the upload.
  private mutating func restart() throws(LoadError) -> Outcome {
    guard !record.mayBeComplete || rules.mayRepeat else {
      // Nothing can be resumed, and what became of it isn't known.
      record.state.url = nil
      record.isLost = true
      throw .forgottenUpload
    }
    restarts += 1
    guard restarts <= Self.maximumRestarts else { return .finish }
    reset()
    return .proceed(isFailure: restarts > 1)
  }

  /// How often an upload may be forgotten.
  private static let maximumRestarts = 2

  /// Records that the upload was complete, but the resource refused what was uploaded: nothing is
  /// resumed.
  mutating func endRefused() {
    record.state.url = nil
    record.isLost = true
  }

  /// Forgets the upload.
  private mutating func reset() {
    var state = UploadState(length: state.length)
    state.limits = record.state.limits
    (state.digest, state.metadata) = (record.state.digest, record.state.metadata)
    record.state = state
    (record.mayBeComplete, record.isLost) = (false, false)
    (isOffsetKnown, exposed, best) = (false, 0, 0)
  }
}

extension URL {
  /// Whether an upload may go on there: it isn't less secure.
  fileprivate func isUploadTarget(from source: URL) -> Bool {
    let scheme = scheme?.lowercased() ?? ""
    guard host() != nil, user() == nil, password() == nil else { return false }
    return scheme == "https" || scheme == "http" && source.scheme?.lowercased() == "http"
  }
}

extension LoadError {
  package static let forgottenUpload = LoadError(
    .connection,
    "the server doesn't know the upload any more, and may have stored what was sent",
    advice: "Find out whether it has; then upload again, or mark the request as idempotent")
}
