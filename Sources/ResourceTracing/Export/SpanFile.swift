public import Foundation
import ResourceLoading
import Synchronization

/// Appends spans to a file. Each line is a JSON document of OpenTelemetry's protocol, which
/// collectors can read.
///
/// Only the owner can read the file. It is written in separate tasks, and by one program at a time.
public final class SpanFile: SpanRecorder {
  private let batcher: SpanBatcher
  private let lines: SpanLines

  /// Opens or creates a file.
  ///
  /// - Parameters:
  ///   - file: The URL of the file, in an existing folder. Lines are appended to it.
  ///   - service: The name of the program.
  ///   - maximumSize: The maximum size of the file in bytes. Spans that don't fit are dropped and
  ///     counted.
  ///   - delay: The longest time that a span waits to be written together with others.
  /// - Throws: A `LoadError` of kind `file` if the file can't be written, if another program is
  ///   writing it, or if it isn't a regular file of this user. Links aren't followed.
  public init(
    _ file: URL, service: String, maximumSize: Int = 64 << 20, delay: Duration = .seconds(1)
  ) throws {
    let lines = try SpanLines(appendingTo: file.path(percentEncoded: false))
    self.lines = lines
    let document = OTLPDocument(service: service, resource: [:])
    batcher = SpanBatcher(ExportQueue.Limits(), delay: delay, clock: ContinuousClock()) { spans in
      var line = document.data(of: spans)
      line.append(UInt8(ascii: "\n"))
      return lines.append(line, upTo: maximumSize) ? 0 : spans.count
    }
  }
}

extension SpanFile {
  /// Adds a span to the queue.
  public func end(_ span: TraceSpan) { batcher.add(span) }

  /// The numbers of spans so far, by outcome.
  public var counts: ExportCounts { batcher.counts }

  /// Writes the waiting spans.
  public func flush() async { await batcher.flush() }

  /// Writes the waiting spans, closes the file, and drops later spans.
  public func shutDown() async {
    await batcher.shutDown()
    lines.close()
  }
}

extension OutputFile {
  /// Ends a line that a program didn't finish before it was killed, which would corrupt the next
  /// one.
  fileprivate func endLastLine() throws {
    let (length, lineBreak) = (try length, Data("\n".utf8))
    guard length > 0, try read(1, at: length - 1) != lineBreak else { return }
    try write(lineBreak)
  }
}

/// A file to which lines are appended. It is closed when it is freed.
private final class SpanLines: Sendable {
  private let state: Mutex<State>

  private struct State: Sendable {
    /// `nil` after it has been closed.
    var file: OutputFile?
    var size: Int
  }

  init(appendingTo path: String) throws {
    let file = try OutputFile(appendingTo: path)
    do {
      try file.endLastLine()
      state = Mutex(State(file: file, size: try file.length))
    } catch {
      file.close()
      throw error
    }
  }

  deinit { close() }

  func close() { state.withLock { $0.file.take() }?.close() }

  /// Appends a line; returns `false` if it doesn't fit or can't be written.
  func append(_ line: Data, upTo maximumSize: Int) -> Bool {
    state.withLock { state in
      guard let file = state.file, state.size + line.count <= maximumSize else { return false }
      do {
        try file.write(line)
      } catch {
        // A partial line would corrupt the next one.
        try? file.cut(to: state.size)
        return false
      }
      state.size += line.count
      return true
    }
  }
}
