import Dispatch
import Foundation
import ResourcePrimitives
import Synchronization

/// A file that is loaded in parts: it has its final size from the beginning, and each part is
/// written at its place.
///
/// The record beside it names what is on the disk: before a range is added to it, the file is
/// synchronized. So whatever the record says is right, even after the power failed.
final class PartsFile: Sendable {
  let destination: FileDestination
  /// The URL of the load, before redirects.
  private let url: URL
  private let clock: LoadClock
  private let hostLimit: Int?
  private let maximumSize: Int?
  private let progress: ProgressReporter?
  /// Open until the file is completed or left, which no exchange that writes may outlive.
  let output: OutputFile
  private let queue = DispatchQueue(label: "ResourceLoading.PartsFile")
  private let state: Mutex<State>

  private struct State {
    /// What the parts belong to; `nil` until the first head has come.
    var content: Content?
    var plan: PartsPlan
    var check: ContentCheck
    var isChecking = false
    /// The validators of what the mirrors have.
    var mirrors: [Int: String] = [:]
    /// Whether the file belongs to a sink for the whole body.
    var isHandedOver = false
    var lastCheckpoint: Duration
    /// The number of bytes since then.
    var unsynced = 0
    var isSynchronizing = false
    /// An error of synchronizing.
    var failure: (any Error)?
  }

  /// What tells the content of a URL apart from an earlier or a later one.
  struct Content: Sendable, Hashable {
    /// `nil` only if it came whole in one part.
    var validator: String?
    var size: Int
    var digests: [DownloadOptions.Digest] = []
  }

  /// Opens the file, and continues what is there.
  ///
  /// - Parameters:
  ///   - destination: The destination of the load.
  ///   - url: The URL of the load.
  ///   - hostLimit: The maximum number of requests to one host; `nil` for any number.
  ///   - maximumSize: The maximum number of bytes; `nil` for any number.
  ///   - clock: The clock of the load.
  ///   - progress: Reports the progress.
  init(
    _ destination: FileDestination, for url: URL, hostLimit: Int?, maximumSize: Int?,
    clock: LoadClock, progress: ProgressReporter?
  ) throws {
    self.destination = destination
    self.url = url
    self.clock = clock
    self.hostLimit = hostLimit
    self.maximumSize = maximumSize
    self.progress = progress
    output = try destination.part.open()
    var plan = PartsPlan(size: 0, parts: .one, hostLimit: nil)
    var content: Content?
    do {
      if destination.keepsPart,
        let record = try destination.part.partsRecord(for: url, in: output)
      {
        content = Content(validator: record.contentTag, size: record.size)
        plan = PartsPlan(
          size: record.size, written: record.written.withoutEnd(of: record.size),
          parts: destination.options.parts, hostLimit: hostLimit)
        try output.reserve(record.size)
      }
    } catch {
      output.close()
      throw error
    }
    resumedSize = plan.written.count
    state = Mutex(
      State(
        content: content, plan: plan, check: ContentCheck(destination.options),
        lastCheckpoint: clock.now()))
  }

  /// The number of bytes from earlier loads.
  let resumedSize: Int

  /// Whether it is known what the parts belong to.
  var hasContent: Bool { state.withLock { $0.content != nil } }

  /// The file in one part, once the whole body is written into it.
  var isHandedOver: Bool { state.withLock(\.isHandedOver) }
}

extension ByteRanges {
  /// The ranges, without the last byte if none is missing, so that there is something to ask the
  /// server for.
  fileprivate func withoutEnd(of size: Int) -> ByteRanges {
    guard frontier == size else { return self }
    var ranges = ByteRanges()
    ranges.insert(0..<size - 1)
    return ranges
  }
}

// MARK: - Requests

extension PartsFile {
  /// The length of the first part, after which it is known whether there can be more: a connection
  /// has hardly more to send at once when it is new.
  private static let firstLength = 256 << 10

  /// Changes the plan.
  func plan<Value>(_ change: (inout PartsPlan) -> Value) -> Value {
    state.withLock { change(&$0.plan) }
  }

  /// Returns what to request for a part that goes to the server now.
  func request(_ slot: Int) -> (range: Range<Int>, validator: String?) {
    state.withLock { state in
      guard let content = state.content else { return (0..<Self.firstLength, nil) }
      let range = state.plan.send(slot, at: clock.now())
      return (range ?? 0..<Self.firstLength, content.validator)
    }
  }

  /// Leaves the file to a sink for the whole body.
  func handOver(_ url: URL) -> FileSink {
    state.withLock { $0.isHandedOver = true }
    return FileSink(destination, output, asked: nil, url: url)
  }

  /// Checks the head of a part, and prepares the file for the first one.
  ///
  /// - Parameters:
  ///   - head: The head, with status 206.
  ///   - asked: What was requested.
  ///   - slot: The connection.
  ///   - mirror: The number of the mirror; 0 for the URL of the load.
  /// - Returns: The range that comes.
  func begin(
    _ head: ResponseHead, asked: Range<Int>, slot: Int, mirror: Int
  ) throws -> Range<Int> {
    guard head.headers.hasNoCoding,
      let field = head.headers[.contentRange].flatMap({ ContentRange($0) }),
      let bytes = field.bytes.map({ $0.lowerBound..<$0.upperBound + 1 }), let size = field.total,
      bytes.lowerBound == asked.lowerBound, bytes.upperBound <= asked.upperBound,
      head.bodySize ?? bytes.count == bytes.count
    else { throw mirror > 0 ? PartFault.mirror : .unusable }
    let found = Content(
      validator: head.strongValidator, size: size, digests: head.headers.announcedDigests)
    return try state.withLock { state in
      if let content = state.content {
        try check(found, against: content, mirror, &state)
      } else {
        guard found.validator != nil || bytes.count == size else { throw PartFault.unusable }
        try prepare(for: found, first: bytes, &state)
      }
      state.plan.shorten(slot, to: bytes.upperBound)
      if mirror == 0, !state.isChecking {
        state.isChecking = true
        var announcing = head
        // It is that of the part.
        announcing.headers[.contentDigest] = nil
        try state.check.begin(output, announcing, size: size)
      }
      return bytes
    }
  }

  private func check(
    _ found: Content, against content: Content, _ mirror: Int, _ state: inout State
  ) throws {
    let haveCommonDigest = found.digests.contains { content.digests.contains($0) }
    let differ = found.digests.contains { one in
      content.digests.contains { $0.algorithm == one.algorithm && $0 != one }
    }
    guard mirror > 0 else {
      guard let validator = found.validator else { throw PartFault.unusable }
      guard validator == content.validator, found.size == content.size, !differ else {
        throw PartFault.changed
      }
      if content.digests.isEmpty { state.content?.digests = found.digests }
      return
    }
    guard found.size == content.size, !differ else { throw PartFault.mirror }
    let isTag = found.validator?.hasPrefix("\"") ?? false
    if haveCommonDigest || isTag && found.validator == content.validator { return }
    guard destination.options.digest != nil, let validator = found.validator,
      state.mirrors[mirror, default: validator] == validator
    else { throw PartFault.mirror }
    state.mirrors[mirror] = validator
  }

  /// Makes the file one for some content, of which nothing is there yet.
  private func prepare(
    for content: Content, first: Range<Int>, _ state: inout State
  ) throws {
    if let limit = maximumSize, content.size > limit { throw LoadError(over: limit) }
    destination.part.forget()
    try output.cut(to: 0)
    if let wanted = destination.options.size, wanted != content.size {
      throw LoadError(size: content.size, insteadOf: wanted)
    }
    try output.reserve(content.size)
    state.content = content
    state.plan = PartsPlan(
      size: content.size, parts: destination.options.parts, hostLimit: hostLimit)
    state.plan.begin(first, at: clock.now())
    if let record = record(state) { try destination.part.keep(record) }
  }

  private func record(_ state: State) -> PartialFile.PartsRecord? {
    guard destination.keepsPart, let content = state.content, let validator = content.validator
    else { return nil }
    return PartialFile.PartsRecord(
      urlHash: PartialFile.Record.hash(of: url), contentTag: validator, size: content.size,
      written: state.plan.written)
  }
}

/// What is wrong with a part, so that the download has to change its way.
enum PartFault: Error, Equatable {
  /// The content has changed.
  case changed
  /// The server doesn't send parts, or nothing says that they are of the same content.
  case unusable
  /// A mirror has other content.
  case mirror
}

/// For logs: middleware sees it before the download changes its way.
extension PartFault: CustomStringConvertible {
  var description: String {
    switch self {
    case .changed: "the content has changed"
    case .unusable: "the server sends no usable parts"
    case .mirror: "the mirror has other content"
    }
  }
}

// MARK: - Writing

extension PartsFile {
  /// The bytes after which the file is synchronized.
  private static let bytesBetweenCheckpoints = 64 << 20
  /// The time after which it is.
  private static let timeBetweenCheckpoints = Duration.milliseconds(250)

  /// Records that bytes of a part are in the file.
  func wrote(_ count: Int, for slot: Int) throws {
    let (step, isTime) = try state.withLock { state in
      if let failure = state.failure { throw failure }
      let now = clock.now()
      state.plan.write(count, for: slot, at: now)
      state.check.advance(to: state.plan.written.frontier)
      state.unsynced += count
      let isTime =
        destination.keepsPart && !state.isSynchronizing
        && (state.unsynced >= Self.bytesBetweenCheckpoints
          || now - state.lastCheckpoint >= Self.timeBetweenCheckpoints)
      if isTime { (state.isSynchronizing, state.lastCheckpoint, state.unsynced) = (true, now, 0) }
      return (
        TransferProgress(
          .download, completed: state.plan.written.count, of: state.plan.size), isTime
      )
    }
    progress?(step)
    if isTime { queue.async { self.checkpoint() } }
  }

  /// Synchronizes the file, and records what was in it before.
  private func checkpoint() {
    let record = state.withLock { state -> PartialFile.PartsRecord? in self.record(state) }
    do {
      try output.synchronize()
      // Without a new record the one before holds.
      if let record { try? destination.part.keep(record) }
      state.withLock { $0.isSynchronizing = false }
    } catch {
      state.withLock { ($0.failure, $0.isSynchronizing) = (error, false) }
    }
  }

  /// Moves the complete file to its location. It waits.
  func complete() throws {
    queue.sync {}
    var (check, size) = state.withLock { ($0.check, $0.plan.size) }
    try check.finish(output, at: size)
    try destination.part.complete(
      output, as: destination.file, permissions: destination.options.permissions)
  }

  /// Closes the file, and keeps what is there for the next load if that can complete it. It waits.
  func leave(after error: any Error) {
    let (isOurs, isKept, check) = state.withLock { state in
      let isWorthIt = state.content != nil && state.plan.written.count > 0
      return (!state.isHandedOver, destination.keepsPart && isWorthIt, state.check)
    }
    guard isOurs else { return }
    check.stop()
    let isWrong = error is PartFault || (error as? LoadError)?.kind == .digest
    guard isKept, !isWrong else {
      queue.sync {}
      return destination.part.discard(output)
    }
    // What an earlier record says is on the disk in any case.
    queue.sync { if state.withLock({ $0.failure == nil }) { checkpoint() } }
    output.close()
  }
}
