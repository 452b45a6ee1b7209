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

  /// Whether it is a plain file of this user without another name.
  var isOwnFile: Bool { isFile && st_uid == geteuid() && st_nlink <= 1 }
}

func systemStatus(_ descriptor: Int32) -> stat? {
  var status = stat()
  return unsafe fstat(descriptor, &status) == 0 ? status : nil
}

/// The status of the file at a path, without following a link.
func systemStatus(_ path: String) -> stat? {
  var status = stat()
  return unsafe lstat(path, &status) == 0 ? status : nil
}

/// The status of the file that a path leads to.
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

func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
  unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
}

func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int
{
  unsafe pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
}

/// Writes a text to a stream, as far as the stream takes it.
package func systemWriteAll(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)
    while unsafe !rest.isEmpty {
      let count = unsafe systemWrite(descriptor, rest)
      guard count >= 0 || errno == EINTR else { return }
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(0, count)))
    }
  }
}

/// Reads bytes at an offset; fewer than requested only at the end of the file.
func systemRead(
  _ count: Int, of descriptor: Int32, at offset: Int
) throws(POSIXError) -> Data {
  var data = Data(count: count)
  var (total, failure) = (0, nil as POSIXError?)
  unsafe data.withUnsafeMutableBytes { bytes in
    while total < bytes.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[total...])
      let count = unsafe systemRead(descriptor, rest, at: offset + total)
      if count < 0, errno != EINTR {
        failure = POSIXError(number: errno)
        return
      }
      if count == 0 { return }
      total += max(0, count)
    }
  }
  if let failure { throw failure }
  return total < count ? data.prefix(total) : data
}

/// Reserves space for a number of bytes from the beginning of a file, which is at least as long
/// afterwards. Returns the code of the error; 0 for success.
func systemReserve(_ descriptor: Int32, _ size: Int) -> Int32 {
  #if canImport(Darwin)
    let length = Int(systemStatus(descriptor)?.st_size ?? 0)
    guard size > length else { return 0 }
    var room = fstore_t()
    room.fst_flags = UInt32(F_ALLOCATEALL)
    room.fst_posmode = F_PEOFPOSMODE
    room.fst_length = off_t(size - length)
    // A file system that can't reserve space is asked whether there is any.
    guard unsafe fcntl(descriptor, F_PREALLOCATE, &room) == 0 || errno == ENOTSUP else {
      return errno
    }
    return ftruncate(descriptor, off_t(size)) == 0 ? 0 : errno
  #else
    guard size > 0 else { return 0 }
    var code = EINTR
    while code == EINTR { code = posix_fallocate(descriptor, 0, off_t(size)) }
    return code
  #endif
}

/// The number of bytes for which a file system has room; `nil` if it doesn't say.
func systemFreeSpace(_ descriptor: Int32) -> UInt64? {
  var status = statvfs()
  guard unsafe fstatvfs(descriptor, &status) == 0 else { return nil }
  let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
  return free.overflow ? nil : free.partialValue
}

/// Writes the entries of a directory to the disk.
func systemSynchronizeDirectory(of path: String) {
  let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
  let name = directory.isEmpty ? "." : directory.joined(separator: "/") + "/"
  let descriptor = systemOpen(name, O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0)
  guard descriptor >= 0 else { return }
  _ = fsync(descriptor)
  systemClose(descriptor)
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
  var isFullDisk: Bool {
    guard let code = (underlying as? POSIXError)?.code else { return false }
    return [.ENOSPC, .EDQUOT].contains(code)
  }

  /// A step that the system refused.
  init(file path: String, _ what: String, _ code: Int32) {
    let error = POSIXError(number: code)
    let advice: String? =
      switch code {
      case EACCES, EPERM, EROFS: "Check the permissions of the directory"
      case ENOENT, ENOTDIR: "Create the directory before"
      case EISDIR: "Name a file, not a directory"
      case ELOOP: "Remove the link: nothing is written through one"
      case EFBIG: "Raise the limit of the size of files (ulimit -f)"
      default: error.advice
      }
    self.init(.file, "the file \(path) \(what): \(error.text)", advice: advice, underlying: error)
  }
}
