/// The error of a promise whose resolver was dropped before it had resolved it.
///
/// Nobody could settle the promise any more, so the library does, and names the place that made it.
public struct BrokenPromise: Error, Sendable, Hashable {
  /// The module and file in which the promise was made, as `Module/File.swift`.
  public let fileID: String
  /// The line in that file, counted from 1.
  public let line: UInt

  @usableFromInline
  init(fileID: String, line: UInt) {
    self.fileID = fileID
    self.line = line
  }
}

extension BrokenPromise: CustomStringConvertible {
  /// The place, and what went wrong there.
  public var description: String {
    "The promise made at \(fileID):\(line) was dropped by its last resolver without an outcome."
  }
}
