import Dispatch
import Foundation
import Synchronization

/// Writes the body of one exchange into a partial file, and moves the complete file to its
/// location.
///
/// It holds its lock while it writes. So nothing is written after ``abandon()`` has returned.
final class FileSink: BodySink {
  private let destination: FileDestination
  private let asked: PartialFile.Record?
  private let url: URL
  private let state: Mutex<State>
  private let writeback: EarlyWriteback

  private struct State {
    /// `nil` once it is complete or abandoned.
    var output: OutputFile?
    /// The offset at which this exchange's bytes begin.
    var offset = 0
    var written = 0
    /// The bytes that aren't written yet.
    var buffer = WriteBuffer()
    /// The number of bytes that are in the file, those from earlier loads included.
    var flushed = 0
    var total: Int?
    /// Whether the next load can complete the part.
    var canResume: Bool
    /// What the content is checked against.
    var check: ContentCheck
    /// Whether everything has arrived, and the file is about to be moved.
    var isEnding = false
    var isComplete = false
  }

  /// `asked` is the part for which the rest was requested; `nil` if everything was requested.
  init(
    _ destination: FileDestination, _ output: OutputFile, asked: PartialFile.Record?, url: URL
  ) {
    self.destination = destination
    self.asked = asked
    self.url = url
    writeback = EarlyWriteback(destination.part.path)
    state = Mutex(
      State(
        output: output, canResume: asked != nil, check: ContentCheck(destination.options)))
  }

  var offset: Int { state.withLock { $0.offset } }
}

extension FileSink {
  func begin(_ head: ResponseHead) throws -> SinkDemand {
    try whileOpen { state, output in
      switch head.status.rawValue {
      case 206 where asked != nil: return try resume(head, &state, output)
      case 416 where asked != nil: return try beginBeyondEnd(head, &state, output)
      case _ where destination.accepted.contains(head.status):
        return try beginAnew(head, &state, output)
      default: return .nothing
      }
    } ?? .nothing
  }

  private func beginAnew(
    _ head: ResponseHead, _ state: inout State, _ output: OutputFile
  ) throws -> SinkDemand {
    try output.cut(to: 0)
    (state.offset, state.written, state.total, state.flushed) = (0, 0, head.bodySize, 0)
    state.buffer = WriteBuffer()
    if let size = head.bodySize { try output.checkRoom(for: size) }
    try state.check.begin(output, head, size: head.bodySize)
    guard destination.keepsPart else { return .body }
    let record = PartialFile.Record(head, at: url, total: head.bodySize)
    try destination.part.keep(record)
    state.canResume = record != nil
    return .body
  }

  private func resume(
    _ head: ResponseHead, _ state: inout State, _ output: OutputFile
  ) throws -> SinkDemand {
    guard let asked, let range = head.headers[.contentRange].flatMap({ ContentRange($0) }),
      range.bytes?.lowerBound == asked.length,
      head.bodySize ?? range.bytes?.count == range.bytes?.count,
      asked.total == nil || range.total == nil || asked.total == range.total,
      head.strongValidator.map({ $0 == asked.validator || !asked.validator.hasPrefix("\"") })
        ?? true
    else { throw restart(&state, output) }
    try output.cut(to: asked.length)
    (state.offset, state.written, state.flushed) = (asked.length, 0, asked.length)
    state.total = range.total ?? asked.total ?? range.bytes.map { $0.upperBound + 1 }
    if let total = state.total { try output.checkRoom(for: total) }
    try state.check.begin(output, head, partFrom: asked.length, size: state.total)
    return .body
  }

  /// Handles a 416: the part is complete, or it belongs to other content.
  private func beginBeyondEnd(
    _ head: ResponseHead, _ state: inout State, _ output: OutputFile
  ) throws -> SinkDemand {
    let total = head.headers[.contentRange].flatMap { ContentRange($0) }?.total
    guard let asked, let total, total == asked.length, asked.total ?? total == total,
      head.strongValidator.map({ $0 == asked.validator }) ?? (asked.total == total)
    else { throw restart(&state, output) }
    (state.offset, state.written, state.total, state.flushed) = (total, 0, total, total)
    // The body of a 416 is another one.
    try state.check.begin(output, nil, size: total)
    return .end
  }

  private func restart(_ state: inout State, _ output: OutputFile) -> RestartTransfer {
    discard(&state, output)
    return RestartTransfer()
  }
}

extension FileSink {
  func write(_ chunk: Data) throws {
    try whileOpen { state, output in
      state.written += chunk.count
      if destination.keepsPart {
        // The file contains everything that was reported, even if the process is killed.
        try output.write(chunk)
        state.flushed += chunk.count
      } else {
        let waiting = state.buffer.count + chunk.count
        try state.buffer.gather(chunk) { try output.write($0) }
        state.flushed += waiting - state.buffer.count
      }
      state.check.advance(to: state.flushed)
      writeback.note(chunk.count)
    }
  }

  func receive(trailers: Headers) throws {
    try whileOpen { state, output in state.check.add(trailers, output) }
  }

  /// `true`, because it waits for the disk.
  var isSlowToFinish: Bool { true }

  func finish(_ isWanted: () -> Bool) throws {
    try whileOpen { state, output in
      let length = state.offset + state.written
      if let total = state.total, length != total {
        throw LoadError(.connection, "the body ended after \(length) of \(total) bytes")
      }
      try state.buffer.empty { try output.write($0) }
      state.flushed = length
      state.isEnding = true
      try state.check.finish(output, at: length)
      try destination.part.complete(
        output, as: destination.file, permissions: destination.options.permissions, isWanted)
      state.output = nil
      state.isComplete = true
    }
  }

  func abandon() {
    state.withLock { state in
      if let output = state.output { leave(&state, output) }
    }
  }

  /// Closes the part if the next load can complete it, and removes it otherwise.
  private func leave(_ state: inout State, _ output: OutputFile) {
    guard destination.keepsPart, state.canResume, let length = try? output.length, length > 0 else {
      return discard(&state, output)
    }
    state.check.stop()
    output.close()
    state.output = nil
  }

  private func discard(_ state: inout State, _ output: OutputFile) {
    state.check.stop()
    destination.part.discard(output)
    state.output = nil
  }

  func complete(_ response: inout Response) {
    state.withLock { state in
      guard state.isComplete else { return }
      response.file = destination.file
      response.resumedSize = state.offset
      // The part was already complete.
      if response.status == 416 { response.status = 206 }
    }
  }

  /// Runs an operation on the file, unless it was abandoned. After an error of the file, or of its
  /// content, nothing is left behind, unless the disk is full: what is there can be completed when
  /// there is room again.
  private func whileOpen<Value>(
    _ body: (inout State, OutputFile) throws -> Value
  ) throws -> Value? {
    try state.withLock { state in
      guard let output = state.output else { return nil }
      do {
        return try body(&state, output)
      } catch let error as LoadError where [.file, .digest].contains(error.kind) {
        // What couldn't be synchronized may be lost.
        if error.isFullDisk, !state.isEnding {
          leave(&state, output)
        } else {
          discard(&state, output)
        }
        throw error
      }
    }
  }
}

/// Collects pieces for one system call. Writing 256 KiB at once takes two thirds of the time that
/// the 16 KiB pieces of libcurl take.
struct WriteBuffer: Sendable {
  private var bytes = Data()
  private static let size = 256 << 10

  /// The number of bytes that aren't written yet.
  var count: Int { bytes.count }

  /// Appends a piece. `write` is called with the collected bytes if there are enough.
  mutating func gather(_ piece: Data, _ write: (Data) throws -> Void) rethrows {
    if bytes.isEmpty, piece.count >= Self.size { return try write(piece) }
    if bytes.isEmpty { bytes.reserveCapacity(Self.size + piece.count) }
    bytes.append(piece)
    if bytes.count >= Self.size { try empty(write) }
  }

  mutating func empty(_ write: (Data) throws -> Void) rethrows {
    guard !bytes.isEmpty else { return }
    try write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}

/// Asks the system to write a file to the disk while the rest still arrives, so that the
/// synchronization at the end takes less time.
private final class EarlyWriteback: Sendable {
  private let path: String
  private let queue = DispatchQueue(label: "ResourceLoading.EarlyWriteback")
  private let state = Mutex((written: 0, isWriting: false))
  /// The number of bytes between two calls of the system.
  private static let stride = 32 << 20

  init(_ path: String) { self.path = path }

  /// Records that bytes were written. It doesn't wait.
  func note(_ count: Int) {
    let isTime = state.withLock { state in
      state.written += count
      guard state.written >= Self.stride, !state.isWriting else { return false }
      state = (0, true)
      return true
    }
    guard isTime else { return }
    queue.async { [self] in
      OutputFile.synchronize(path)
      state.withLock { $0.isWriting = false }
    }
  }
}
