import Dispatch
import Foundation
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// Keeps the entries of a recording, and writes them into its file.
final class Recorder: Sendable {
  let file: URL
  let limits: RecordingTransport.Limits
  let clock: LoadClock
  private let redaction: RecordingRedaction
  /// The queue on which entries are created and written, so that no engine's thread does it.
  private let queue = DispatchQueue(label: "ResourceTesting.Recorder")
  private let state: Mutex<State>

  private struct State {
    /// Only changed on the queue.
    var book: RecordingBook
    var pending: [Pending] = []
  }

  private struct Pending {
    var record: ExchangeRecord
    var written: @Sendable (LoadError?) -> Void
  }

  /// - Parameter archive: The entries to keep that are already in the file.
  init(
    _ file: URL, adding archive: HTTPArchive, _ redaction: RecordingRedaction,
    _ limits: RecordingTransport.Limits, _ clock: LoadClock
  ) {
    (self.file, self.limits, self.clock, self.redaction) = (file, limits, clock, redaction)
    state = Mutex(State(book: RecordingBook(archive, redaction, limits)))
  }
}

extension Recorder {
  var archive: HTTPArchive { state.withLock { $0.book }.archive }

  /// Adds an exchange and writes the file. `written` is called on a background thread when the
  /// exchange has been written or couldn't be.
  func add(_ record: ExchangeRecord, written: @escaping @Sendable (LoadError?) -> Void) {
    state.withLock { $0.pending.append(Pending(record: record, written: written)) }
    queue.async { self.writePending() }
  }

  func save() async throws {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        let failure = self.write(self.state.withLock { $0.book })
        continuation.resume(with: failure.map { .failure($0) } ?? .success(()))
      }
    }
  }

  /// Writes all exchanges that have ended. Those that end in the meantime are written next time.
  private func writePending() {
    var (book, pending) = state.withLock { state in
      defer { state.pending = [] }
      return (state.book, state.pending)
    }
    guard !pending.isEmpty else { return }
    book.add(pending.map(\.record))
    let failure = write(book)
    state.withLock { [book] in $0.book = book }
    for entry in pending { entry.written(failure) }
    pending = []
  }

  private func write(_ book: RecordingBook) -> LoadError? {
    do {
      try HTTPArchive.write(HTTPArchive.data(book.archive, book.texts), to: file)
      return nil
    } catch {
      var failure = error as? LoadError ?? LoadError(.file, "\(error)", underlying: error)
      failure.reason = "the exchange can't be recorded: \(failure.reason)"
      return failure
    }
  }
}

/// The entries of a recording without their secrets, each with its encoded text.
struct RecordingBook: Sendable {
  private let redaction: RecordingRedaction
  private let limits: RecordingTransport.Limits
  private let comment: String?
  private var standIns: SecretStandIns
  private var entries: [HTTPArchive.Entry] = []
  private(set) var texts: [Data] = []
  private var size = 0
  private var leftOut = 0

  init(
    _ archive: HTTPArchive, _ redaction: RecordingRedaction, _ limits: RecordingTransport.Limits
  ) {
    (self.redaction, self.limits) = (redaction, limits)
    var first = SecretStandIns(redaction)
    first.reserveStandIns(of: archive)
    // Another program's archive contains secrets and the headers of coded bodies.
    if !archive.isOwn { first.learn(from: archive.entries) }
    comment = archive.isOwn ? archive.comment : archive.comment.map { first.redact($0) }
    standIns = first
    for entry in archive.entries {
      keep(archive.isOwn ? entry : standIns.redact(entry.withoutCodings))
    }
  }

  /// The recording. Its comment says how many exchanges were left out.
  var archive: HTTPArchive {
    var archive = HTTPArchive(entries, comment: comment)
    guard leftOut > 0 else { return archive }
    let notice =
      "The recording is full (at most \(limits.maximumEntries) exchanges, "
      + "\(limits.maximumFileSize) bytes): \(leftOut) were left out."
    archive.comment = comment.map { "\($0) \(notice)" } ?? notice
    return archive
  }

  mutating func add(_ records: [ExchangeRecord]) {
    let new = records.map { $0.entry(bodiesAtMost: limits.maximumBodySize) }
    // Learns even from entries that will be left out, because the others may contain their secrets.
    if let secrets = standIns.learn(from: new) { redactAgain(secrets) }
    for entry in new {
      let redacted = standIns.redact(entry)
      if let changed = redaction.change.map({ $0(redacted) }) ?? redacted { keep(changed) }
    }
  }

  private mutating func keep(_ entry: HTTPArchive.Entry) {
    // Encoding strings and numbers doesn't fail.
    guard entries.count < limits.maximumEntries, let text = try? HTTPArchive.data(of: entry),
      size + text.count <= limits.maximumFileSize
    else {
      leftOut += 1
      return
    }
    entries.append(entry)
    texts.append(text)
    size += text.count
  }

  /// Replaces new secrets in the entries so far, for example one that an earlier response contained
  /// under another name.
  private mutating func redactAgain(_ secrets: KnownSecrets) {
    for index in entries.indices {
      let entry = standIns.replace(secrets, in: entries[index])
      guard entry != entries[index] else { continue }
      entries[index] = entry
      size -= texts[index].count
      texts[index] = (try? HTTPArchive.data(of: entry)) ?? Data("{}".utf8)
      size += texts[index].count
    }
  }
}
