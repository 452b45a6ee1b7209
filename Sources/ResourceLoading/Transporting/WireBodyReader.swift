public import Foundation

/// Reads a body from its beginning to its end, piece by piece; a file is open only while it is read.
public struct WireBodyReader: Sendable {
  private var segments: ArraySlice<WireBody.Segment>
  /// How many bytes of the first segment were read.
  private var offset = 0
  private var file: FileHandle?
  /// Has the spool stay as long as it is read.
  private let origin: WireBody.Origin

  init(_ body: WireBody) {
    segments = body.segments[...]
    origin = body.origin
  }

  /// The next bytes.
  ///
  /// - Parameter count: How many at most, at least 1.
  /// - Returns: At least one byte, or `nil` at the end.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if a file can't be read or has become
  ///   shorter.
  public mutating func next(atMost count: Int) throws -> Data? {
    guard let segment = segments.first else { return nil }
    let wanted = min(count, segment.length - offset)
    let chunk =
      switch segment {
      case .data(let data): data.dropFirst(offset).prefix(wanted)
      case .file(let url, let range): try read(wanted, of: url, from: range.lowerBound)
      }
    offset += chunk.count
    if offset == segment.length { advance() }
    return chunk
  }

  private mutating func advance() {
    segments.removeFirst()
    offset = 0
    try? file?.close()
    file = nil
  }

  private mutating func read(_ count: Int, of url: URL, from start: Int) throws -> Data {
    do {
      if file == nil {
        file = try FileHandle(forReadingFrom: url)
        try file?.seek(toOffset: UInt64(start))
      }
      if let chunk = try file?.read(upToCount: count), !chunk.isEmpty { return chunk }
    } catch {
      throw LoadError(unreadable: url, (error as NSError).localizedDescription)
    }
    throw LoadError(
      unreadable: url, "it became shorter while it was sent",
      advice: "Send a file that nobody writes")
  }
}
