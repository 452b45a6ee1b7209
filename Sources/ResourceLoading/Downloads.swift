import Foundation
import ResourcePrimitives
import Synchronization

extension Client {
  /// Downloads a set of files, a limited number of them at a time, and returns each as soon as it
  /// is complete or has failed.
  ///
  /// ```swift
  /// let files = client.downloads(manifest, maximumConcurrency: 3).onProgress { progress in
  ///   print(progress.fraction ?? 0, progress.timeLeft ?? .zero)
  /// }
  /// for await (index, result) in files { print(index, result) }
  /// ```
  ///
  /// All files share the limits and the connections of the client. A file that fails doesn't stop
  /// the others. Nothing is loaded before the sequence is iterated; leaving the loop, or cancelling
  /// its task, cancels running downloads and starts no more. Iterating it again, also in another
  /// run of the program, continues: parts that have arrived aren't requested again if
  /// ``DownloadOptions/isResumable`` is set, and neither are files that are there with the
  /// ``DownloadOptions/digest``, or else the ``DownloadOptions/size``, that their options name.
  ///
  /// - Parameters:
  ///   - manifest: The files, created by ``Resource/download(_:to:_:)``. They are started in this
  ///   order.
  ///   - maximumConcurrency: The number of files under way, at least 1.
  /// - Returns: The results in the order in which they finish, each with its 0-based position in
  ///   the manifest.
  public func downloads(
    _ manifest: some Sequence<Resource<Download>>, maximumConcurrency: Int = 3
  ) -> Downloads {
    precondition(maximumConcurrency > 0, "downloads need room for at least one at a time")
    return Downloads(Array(manifest), width: maximumConcurrency, over: self)
  }
}

/// The files of a set as they are downloaded; see ``Client/downloads(_:maximumConcurrency:)``.
public struct Downloads: AsyncSequence, Sendable {
  /// The 0-based position in the manifest, and the result: a file, a ``LoadError``, or
  /// `CancellationError`.
  public typealias Element = (index: Int, result: Result<Download, any Error>)

  private let manifest: [Resource<Download>]
  private let width: Int
  private let client: Client
  private var report: (@Sendable (DownloadsProgress) -> Void)?

  fileprivate init(_ manifest: [Resource<Download>], width: Int, over client: Client) {
    self.manifest = manifest
    self.width = width
    self.client = client
  }

  /// Reports the progress of the whole set.
  ///
  /// - Parameter report: Called whenever bytes have arrived and whenever a file is complete or has
  ///   failed, on whatever thread that happens, one call after another: it must return soon.
  public func onProgress(_ report: @escaping @Sendable (DownloadsProgress) -> Void) -> Downloads {
    var reporting = self
    reporting.report = report
    return reporting
  }

  /// Creates an iterator, which begins to load when its first result is requested.
  public func makeAsyncIterator() -> Iterator {
    guard let report else {
      return Iterator(
        results: client.loadAll(manifest, maximumConcurrency: width).makeAsyncIterator())
    }
    let meter = DownloadsMeter(manifest, on: client.pipeline.clock, report)
    let observed = manifest.enumerated().map { index, resource in
      resource.onProgress { meter.note($0, of: index) }
    }
    return Iterator(
      results: client.loadAll(observed, maximumConcurrency: width).makeAsyncIterator(), meter: meter
    )
  }

  /// Returns the results. The remaining downloads are cancelled when the last copy of it is
  /// released.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var results: LoadBatch<Download>.Iterator
    fileprivate var meter: DownloadsMeter?

    /// Returns the next result as soon as there is one.
    ///
    /// - Returns: `nil` after the last result, or when the calling task is cancelled.
    public mutating func next() async -> Element? {
      guard let element = await results.next() else { return nil }
      meter?.end(element.result, of: element.index)
      return element
    }
  }
}

/// The progress of a set of downloads.
///
/// Neither ``bytes`` nor ``fraction`` ever decreases.
public struct DownloadsProgress: Sendable, Hashable {
  /// The number of bytes that are there, those from earlier loads included.
  public fileprivate(set) var bytes = 0

  /// The number of bytes of all files, without what is missing of those that failed; `nil` as long
  /// as the size of a file isn't known. The ``DownloadOptions/size`` of a file makes it known from
  /// the beginning.
  public fileprivate(set) var totalBytes: Int?

  /// The number of files that are complete.
  public fileprivate(set) var completed = 0

  /// The number of files that failed.
  public fileprivate(set) var failed = 0

  /// The number of files in the manifest.
  public fileprivate(set) var files: Int

  /// The bytes a second that arrived lately; 0 if none did.
  public fileprivate(set) var rate = 0.0

  /// The fraction of all bytes that is there, from 0 to 1; `nil` as long as their number isn't
  /// known.
  public var fraction: Double? {
    totalBytes.map { $0 > 0 ? min(1, Double(bytes) / Double($0)) : 1 }
  }

  /// The time that the rest takes at the present rate; `nil` if that can't be said.
  public var timeLeft: Duration? {
    guard let totalBytes, rate > 0 else { return nil }
    // A server may announce any size.
    let seconds = Double(max(0, totalBytes - bytes)) / rate
    return Duration.seconds(min(seconds, 1e15)).countable
  }
}

/// Adds up the progress of the files of a set.
private final class DownloadsMeter: Sendable {
  private let clock: LoadClock
  private let report: @Sendable (DownloadsProgress) -> Void
  private let state: Mutex<State>

  fileprivate struct State {
    var tally: DownloadsTally
    /// Whether a report is under way. Others wait for it, and the last one follows it.
    var isReporting = false
    var isNews = false
  }

  init(
    _ manifest: [Resource<Download>], on clock: LoadClock,
    _ report: @escaping @Sendable (DownloadsProgress) -> Void
  ) {
    self.clock = clock
    self.report = report
    let sizes = manifest.map { resource -> Int? in
      if case .file(_, let options) = resource.request.destination { options.size } else { nil }
    }
    state = Mutex(State(tally: DownloadsTally(sizes: sizes)))
  }

  func note(_ step: TransferProgress, of index: Int) {
    let now = clock.now()
    change { $0.note(step.completed, of: step.total, for: index, at: now) }
  }

  func end(_ result: Result<Download, any Error>, of index: Int) {
    change { $0.end(index, size: try? result.get().size) }
  }

  /// Changes the tally and reports it, one report after another, so that they never go back.
  private func change(_ change: (inout DownloadsTally) -> Void) {
    var news = state.withLock { state -> DownloadsProgress? in
      change(&state.tally)
      state.isNews = true
      return state.takeNews(unlessReporting: true)
    }
    while let progress = news {
      report(progress)
      news = state.withLock { $0.takeNews(unlessReporting: false) }
    }
  }
}

extension DownloadsMeter.State {
  /// Returns the next report; `nil` if there is none, or another caller makes it.
  mutating func takeNews(unlessReporting: Bool) -> DownloadsProgress? {
    guard !unlessReporting || !isReporting else { return nil }
    isReporting = isNews
    defer { isNews = false }
    return isNews ? tally.progress : nil
  }
}

/// The state of the progress of a set: a pure function of what happened and of the time.
struct DownloadsTally: Sendable {
  private(set) var progress: DownloadsProgress
  private var files: [File]
  /// Recent arrivals, the first of which marks the beginning of the measured time.
  private var arrivals: [(time: Duration, bytes: Int)] = []
  private var arrived = 0

  private struct File {
    var bytes = 0
    var size: Int?
    /// Whether the first bytes are there, before which those from earlier loads are.
    var hasBegun = false
    var hasEnded = false
  }

  /// The time over which the rate is measured.
  private static let span = Duration.seconds(5)

  init(sizes: [Int?]) {
    files = sizes.map { File(size: $0) }
    progress = DownloadsProgress(files: sizes.count)
    update(from: 0)
  }

  mutating func note(_ bytes: Int, of size: Int?, for index: Int, at now: Duration) {
    guard !files[index].hasEnded, bytes > files[index].bytes else { return }
    let before = files[index].bytes
    if arrivals.isEmpty { arrivals = [(now, arrived)] }
    if files[index].hasBegun { arrived += bytes - before }
    files[index].hasBegun = true
    files[index].bytes = bytes
    files[index].size = size ?? files[index].size
    measure(at: now)
    update(from: bytes - before)
  }

  /// Records that a file is complete, with its size, or failed, without one.
  mutating func end(_ index: Int, size: Int?) {
    guard !files[index].hasEnded else { return }
    files[index].hasEnded = true
    let before = files[index].bytes
    if let size {
      progress.completed += 1
      files[index].bytes = max(before, size)
    } else {
      progress.failed += 1
    }
    // The rest of a failed file won't arrive.
    files[index].size = files[index].bytes
    update(from: files[index].bytes - before)
  }

  private mutating func update(from bytes: Int) {
    progress.bytes += bytes
    let sizes = files.compactMap { file in file.size.map { max($0, file.bytes) } }
    let total = sizes.count == files.count ? sizes.reduce(0) { $0 + min($1, .max - $0) } : nil
    // A file that turns out larger doesn't make the fraction smaller again.
    guard let total, let known = progress.totalBytes, let fraction = progress.fraction,
      total > known, Double(progress.bytes) < fraction * Double(total)
    else {
      progress.totalBytes = total ?? progress.totalBytes
      return
    }
  }

  private mutating func measure(at now: Duration) {
    if let last = arrivals.last, now - last.time < Self.span / 20, arrivals.count > 1 {
      arrivals[arrivals.count - 1].bytes = arrived
    } else {
      arrivals.append((now, arrived))
    }
    while arrivals.count > 2, now - arrivals[1].time >= Self.span { arrivals.removeFirst() }
    let seconds = (now - arrivals[0].time).seconds
    progress.rate = seconds > 0 ? Double(arrived - arrivals[0].bytes) / seconds : 0
  }
}
