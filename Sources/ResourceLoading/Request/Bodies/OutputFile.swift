package import Foundation
import ResourcePrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that only its owner can read. Every step of writing it is checked.
package struct OutputFile: Sendable {
  package let path: String
  /// The name in errors: that of the file that this one becomes, if it is known.
  private let name: String
  private let descriptor: Int32

  /// Opens or creates a file of this user, for this writer alone.
  ///
  /// - Parameter name: The name in errors; `nil` for the path.
  package init(_ path: String, for name: String? = nil) throws {
    self.path = path
    self.name = name ?? path
    // A writer that was there before may have moved the file away between the opening and the lock.
    for _ in 0..<16 {
      guard let descriptor = try Self.open(path, self.name) else { continue }
      do {
        try Self.lock(descriptor, self.name)
        guard try Self.isOwn(descriptor, path) else {
          systemClose(descriptor)
          continue
        }
      } catch {
        systemClose(descriptor)
        throw error
      }
      self.descriptor = descriptor
      return
    }
    throw Self.isBusy(self.name)
  }

  /// Opens or creates a file as ``init(_:)`` does, to append to it.
  package init(appendingTo path: String) throws {
    try self.init(path)
    // Reading the length moves to the end.
    do { _ = try length } catch {
      close()
      throw error
    }
  }

  /// Creates a file. An existing file is an error.
  ///
  /// - Parameter name: The name in errors; `nil` for the path.
  package init(new path: String, for name: String? = nil) throws {
    self.path = path
    self.name = name ?? path
    descriptor = systemOpen(path, Self.flags | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw LoadError(file: self.name, "can't be created", errno) }
  }
}

extension OutputFile {
  /// Links aren't followed, and opening a pipe doesn't block.
  private static let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

  /// - Returns: `nil` if the file was removed at this moment.
  private static func open(_ path: String, _ name: String) throws -> Int32? {
    let made = systemOpen(path, flags | O_CREAT | O_EXCL, 0o600)
    guard made < 0 else { return made }
    guard errno == EEXIST else { throw LoadError(file: name, "can't be written", errno) }
    let opened = systemOpen(path, flags, 0)
    guard opened < 0 else { return opened }
    guard errno == ENOENT else { throw LoadError(file: name, "can't be written", errno) }
    return nil
  }

  private static func lock(_ descriptor: Int32, _ name: String) throws {
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
    throw errno == EWOULDBLOCK ? isBusy(name) : LoadError(file: name, "can't be locked", errno)
  }

  private static func isBusy(_ name: String) -> LoadError {
    LoadError(
      .file, "the file \(name) is being written by another download or program",
      advice: "Wait for it, or use another file")
  }

  /// Checks the file that was opened, and restricts its permissions to the owner. Returns whether
  /// it still has its name.
  private static func isOwn(_ descriptor: Int32, _ path: String) throws -> Bool {
    guard let status = systemStatus(descriptor) else {
      throw LoadError(file: path, "can't be looked at", errno)
    }
    guard let named = systemStatus(path), named.st_ino == status.st_ino,
      named.st_dev == status.st_dev
    else { return false }
    guard status.isOwnFile else {
      throw LoadError(
        .file, "the file \(path) can't be written: it isn't a plain file of this user's alone",
        advice: "Remove it, or use another file")
    }
    guard fchmod(descriptor, 0o600) == 0 else {
      throw LoadError(file: path, "can't be kept from others", errno)
    }
    return true
  }
}

extension OutputFile {
  /// The number of bytes. Moves to the end.
  package var length: Int {
    get throws {
      let end = lseek(descriptor, 0, SEEK_END)
      guard end >= 0 else { throw LoadError(file: name, "has no length", errno) }
      return Int(clamping: end)
    }
  }

  /// Sets the length of the file and moves to its end.
  package func cut(to length: Int) throws {
    guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0
    else { throw LoadError(file: name, "can't be cut", errno) }
  }

  package func write(_ chunk: Data) throws {
    try unsafe chunk.withUnsafeBytes { bytes in
      var rest = unsafe bytes[...]
      while unsafe !rest.isEmpty {
        let count = unsafe systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        guard count >= 0 || errno == EINTR else {
          throw LoadError(file: name, "can't be written", errno)
        }
        unsafe rest = unsafe rest.dropFirst(max(0, count))
      }
    }
  }

  func write(_ chunk: Data, at offset: Int) throws {
    try unsafe chunk.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = unsafe systemWrite(descriptor, rest, at: offset + written)
        guard count >= 0 || errno == EINTR else {
          throw LoadError(file: name, "can't be written", errno)
        }
        written += max(0, count)
      }
    }
  }

  /// Extends the file to a size, and reserves space for all of it on the disk.
  func reserve(_ size: Int) throws {
    try checkRoom(for: size)
    let code = systemReserve(descriptor, size)
    guard code == 0 else { throw LoadError(file: name, "has no room for \(size) bytes", code) }
  }

  /// Checks that there is room on the disk for a number of bytes from the beginning of the file.
  func checkRoom(for size: Int) throws {
    let present = Int(clamping: systemStatus(descriptor).map { Int($0.st_blocks) * 512 } ?? 0)
    guard size > present, let free = systemFreeSpace(descriptor), free < UInt64(size - present)
    else { return }
    throw LoadError(file: name, "has no room for \(size) bytes", ENOSPC)
  }

  /// Writes the system's buffers of the file to the disk, and waits until they are there.
  package func synchronize() throws {
    guard systemSynchronize(descriptor) == 0 else {
      throw LoadError(file: name, "can't be written", errno)
    }
  }

  /// Writes the system's buffers of a file to the disk, if there is one, and waits. The writer,
  /// which has its own descriptor, gets any error, too.
  static func synchronize(_ path: String) {
    let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return }
    _ = systemSynchronize(descriptor)
    systemClose(descriptor)
  }

  /// Replaces another file atomically, and takes over its permissions. Without such a file only the
  /// owner can read the new one.
  ///
  /// - Parameter permissions: The permissions to set instead.
  package func move(to destination: String, permissions: UInt16? = nil) throws {
    try Self.checkReplaceable(destination)
    let old = systemStatus(destination).flatMap { $0.isFile ? $0.st_mode : nil }
    // A file system without permissions refuses to change them, and has none to keep.
    if let mode = permissions.map({ mode_t($0) }) ?? old { fchmod(descriptor, mode & 0o777) }
    guard unsafe rename(path, destination) == 0 else {
      throw LoadError(file: destination, "can't be replaced", errno)
    }
  }

  /// Checks that a path isn't that of a device, pipe or socket, which others use.
  static func checkReplaceable(_ path: String) throws {
    guard !path.utf8.contains(0) else {
      throw LoadError(.file, "the path \(path.printable) has a NUL", advice: "Use another name")
    }
    guard let old = systemStatus(path), old.isSpecial else { return }
    throw LoadError(
      .file, "the file \(path) can't be replaced: it is a device, a pipe or a socket",
      advice: "Use another file")
  }

  /// Closes the file; nothing may be called after that.
  package func close() {
    // A program that is just being started still has the descriptor, and would keep the lock for a
    // moment.
    flock(descriptor, LOCK_UN)
    systemClose(descriptor)
  }

  package static func remove(_ path: String) { unsafe unlink(path) }
}

extension OutputFile {
  /// A path by which the file can be read as long as it is open, even without a name; `nil` where
  /// the system has none.
  var namelessPath: String? {
    #if os(Linux)
      let path = "/proc/self/fd/\(descriptor)"
      return unsafe access(path, R_OK) == 0 ? path : nil
    #else
      // What /dev/fd opens has its place in common with the descriptor: nothing for several
      // readers.
      return nil
    #endif
  }

  /// Reads bytes at an offset; fewer than requested only at the end of the file.
  package func read(_ count: Int, at offset: Int) throws -> Data {
    do {
      return try systemRead(count, of: descriptor, at: offset)
    } catch {
      throw LoadError(file: name, "can't be read", error.code.rawValue)
    }
  }

  /// The content of a small file of this user's; `nil` if there is none.
  static func read(_ path: String, atMost limit: Int) -> Data? {
    let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return nil }
    let file = InputFile(descriptor: descriptor)
    guard let status = file.status, status.isOwnFile, status.st_size <= off_t(limit) else {
      return nil
    }
    return try? file.read(limit, at: 0)
  }
}
