import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that is written from its beginning, every step checked.
struct OutputFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// Opens a file, or makes it, for this writer alone.
  ///
  /// - Throws: `LoadError` of kind `file` if it can't be opened, or if somebody else writes it.
  init(_ path: String) throws {
    self.path = path
    descriptor = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw LoadError(file: path, "can't be written", errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      systemClose(descriptor)
      guard reason != EWOULDBLOCK else {
        throw LoadError(
          .file, "the file \(path) is being written by another download",
          advice: "Wait for it, or download to another file")
      }
      throw LoadError(file: path, "can't be locked", reason)
    }
  }

  /// How many bytes it has.
  var length: Int {
    get throws {
      let end = lseek(descriptor, 0, SEEK_END)
      guard end >= 0 else { throw LoadError(file: path, "has no length", errno) }
      return Int(end)
    }
  }

  /// Makes it as long as `length` and goes to its end.
  func cut(to length: Int) throws {
    guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0
    else { throw LoadError(file: path, "can't be cut", errno) }
  }

  /// Appends bytes.
  func write(_ chunk: Data) throws {
    try chunk.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        guard count >= 0 || errno == EINTR else {
          throw LoadError(file: path, "can't be written", errno)
        }
        rest = rest.dropFirst(max(0, count))
      }
    }
  }

  /// Has the system write what it keeps in memory, and waits.
  func synchronize() throws {
    guard fsync(descriptor) == 0 else { throw LoadError(file: path, "can't be written", errno) }
  }

  /// Has the system write what it keeps in memory of a file, if there is one, and waits. What fails is told to its
  /// writer too, who has a descriptor of another opening.
  static func synchronize(_ path: String) {
    let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    systemClose(descriptor)
  }

  /// Puts it in the place of another file, at once and whole.
  func move(to destination: String) throws {
    guard rename(path, destination) == 0 else {
      throw LoadError(file: destination, "can't be replaced", errno)
    }
  }

  /// Lets go of it; nothing may be called after that.
  func close() { systemClose(descriptor) }

  /// Removes a file, if there is one.
  static func remove(_ path: String) { unlink(path) }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

extension LoadError {
  /// A step that the system refused.
  init(file path: String, _ what: String, _ code: Int32) {
    let advice: String? =
      switch code {
      case ENOSPC, EDQUOT: "Make room on the disk"
      case EACCES, EPERM, EROFS: "Check the permissions of the directory"
      case ENOENT, ENOTDIR: "Make the directory before"
      case EISDIR: "Name a file, not a directory"
      default: nil
      }
    self.init(
      .file, "the file \(path) \(what): \(String(cString: strerror(code)))", advice: advice)
  }
}
