internal import Foundation

/// The file that a cache has for itself.
struct OwnCacheFile {
  let file: URL

  init(_ file: URL) { self.file = file }

  /// What the file says it is, in its header (<https://sqlite.org/fileformat.html>, offset 68).
  static let applicationID: Int32 = 0x5243_4831

  /// Removes the file and what lies beside it, unless it may be something else that was named by mistake.
  func removeIfOwn() {
    guard isOwn else { return }
    let path = file.path(percentEncoded: false)
    for suffix in ["-wal", "-shm", ""] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  private var isOwn: Bool {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    defer { try? handle.close() }
    let head = (try? handle.read(upToCount: 72)) ?? Data()
    return head.count == 72
      && head.suffix(4).elementsEqual(withUnsafeBytes(of: Self.applicationID.bigEndian, Array.init))
  }
}
