import Foundation
import ResourcePrimitives

#if canImport(Darwin)
  import Darwin
#endif

/// What is kept of an upload beyond its load.
package struct UploadRecord: Codable, Sendable, Hashable {
  /// The name of the strategy.
  package var strategy: String
  package var state: UploadState
  /// The files as they were when the upload began.
  var files: [FileStamp] = []
  /// Whether the server may have everything, and have forgotten the upload.
  var mayBeComplete = false
  /// Whether bytes may have been sent to a server that has told no URL: then it isn't known what
  /// became of them.
  var isLost = false

  /// The strategies of the library, of which a record has the name.
  package static let ownStrategies: [any UploadStrategy] = [
    ResumableUploads(), ResumableUploads(interopVersion: 8), TusUploads(), SessionUploads(),
  ]

  /// Whether going on sends nothing that the server has.
  package var isSafe: Bool { state.url != nil || !isLost }

  /// Whether the server has an upload.
  package var hasBegun: Bool { state.url != nil }
}

/// Keeps the record of an upload.
package struct UploadJournal: Sendable {
  /// What an earlier load left.
  package var record: UploadRecord?
  /// Stores a record. Called one after another. Nothing more is sent if it throws.
  package var save: @Sendable (UploadRecord) async throws -> Void
  /// The strategies by their names, for what an earlier run began.
  package var strategies: [String: any UploadStrategy]
  /// Whether the request may be repeated if its outcome isn't known.
  package var mayRepeat: Bool
  /// Whether nothing is uploaded: the server is asked to forget the upload of the record, unless
  /// it is complete.
  package var cancels = false

  package init(
    _ record: UploadRecord?, strategies: [String: any UploadStrategy], mayRepeat: Bool,
    save: @escaping @Sendable (UploadRecord) async throws -> Void
  ) {
    (self.record, self.strategies, self.mayRepeat) = (record, strategies, mayRepeat)
    self.save = save
  }
}

extension UploadJournal: Hashable {
  package static func == (one: Self, other: Self) -> Bool { one.record == other.record }

  package func hash(into hasher: inout Hasher) { hasher.combine(record) }
}

/// What tells a file apart from another version of it: its size, date of modification and identity.
struct FileStamp: Codable, Sendable, Hashable {
  var path: String
  var size: Int
  var seconds: Int
  var nanoseconds: Int
  var device: UInt64
  var number: UInt64

  /// - Returns: `nil` if there is no such file.
  init?(_ file: URL) {
    path = file.path(percentEncoded: false)
    guard let status = systemTargetStatus(path) else { return nil }
    size = Int(status.st_size)
    #if canImport(Darwin)
      (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    #endif
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

extension WireBody {
  /// The stamps of the files, in order.
  var fileStamps: [FileStamp] {
    segments.compactMap { if case .file(let url, _) = $0 { FileStamp(url) } else { nil } }
  }

  /// The sizes of the files when they were added, in order.
  var fileSizes: [Int] {
    segments.compactMap { if case .file(_, let range) = $0 { range.upperBound } else { nil } }
  }

  /// A part of the body.
  func slice(_ range: Range<Int>) -> WireBody {
    var offset = 0
    var slices: [Segment] = []
    for segment in segments {
      let own = range.clamped(to: offset..<offset + segment.length)
      let (first, last) = (own.lowerBound - offset, own.upperBound - offset)
      offset += segment.length
      guard first < last else { continue }
      switch segment {
      case .data(let data): slices.append(.data(data.dropFirst(first).prefix(last - first)))
      case .file(let url, let whole):
        slices.append(.file(url, whole.lowerBound + first..<whole.lowerBound + last))
      }
    }
    var slice = WireBody(slices)
    slice.source.spool = source.spool
    return slice
  }
}
