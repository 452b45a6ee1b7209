import Foundation
import ResourcePrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// The calls of the system under names that the methods of `OutputFile` don't hide. A text that is
// passed as a path, and a status that is filled in, live as long as the call.

extension stat {
  var isFile: Bool { st_mode & 0o170000 == 0o100000 }

  /// Whether it is neither a file nor a directory nor a link.
  var isSpecial: Bool {
    ![0o100000, 0o040000, 0o120000].contains(Int(st_mode) & 0o170000)
  }

  /// Whether it is a plain file of this user's that has no other name.
  var isOwnFile: Bool { isFile && st_uid == geteuid() && st_nlink <= 1 }
}

func systemStatus(_ descriptor: Int32) -> stat? {
  var status = stat()
  return unsafe fstat(descriptor, &status) == 0 ? status : nil
}

/// The status of what has a name, which may be a link.
func systemStatus(_ path: String) -> stat? {
  var status = stat()
  return unsafe lstat(path, &status) == 0 ? status : nil
}

/// The status of what a path leads to, through links.
func systemTargetStatus(_ path: String) -> stat? {
  var status = stat()
  return unsafe stat(path, &status) == 0 ? status : nil
}

func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}

func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

/// On Darwin `fsync` doesn't wait for the drive's own buffers (fsync(2), fcntl(2)); a file system
/// that has no `F_FULLFSYNC`, such as that of a network volume, has `fsync` alone.
func systemSynchronize(_ descriptor: Int32) -> Int32 {
  #if canImport(Darwin)
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
  #endif
  return fsync(descriptor)
}

func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

extension LoadError {
  /// A step that the system refused.
  init(file path: String, _ what: String, _ code: Int32) {
    let error = POSIXError(number: code)
    let advice: String? =
      switch code {
      case EACCES, EPERM, EROFS: "Check the permissions of the directory"
      case ENOENT, ENOTDIR: "Make the directory before"
      case EISDIR: "Name a file, not a directory"
      case ELOOP: "Remove the link: nothing is written through one"
      case EFBIG: "Raise the limit of the size of files (ulimit -f)"
      default: error.advice
      }
    self.init(.file, "the file \(path) \(what): \(error.text)", advice: advice, underlying: error)
  }
}
