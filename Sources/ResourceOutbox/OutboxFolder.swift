internal import Foundation
internal import ResourceLoading
import ResourceStore

/// The folder beside a database for files of bodies, and for the locks of the processes that send.
///
/// A process that sends has a session: a file with its name, which it keeps locked. The system
/// releases the lock when the process ends for any reason, so it is always known whether a session
/// is alive (flock(2)). Files of bodies begin with the name of the session that wrote them: only
/// the files of sessions that have ended can be orphans.
struct OutboxFolder: Sendable {
  let url: URL

  init(of location: DatabaseLocation) {
    url =
      switch location {
      case .file(let file):
        file.deletingLastPathComponent().appending(
          path: file.lastPathComponent + "-outbox", directoryHint: .isDirectory)
      case .memory:
        FileManager.default.temporaryDirectory.appending(
          path: "outbox-\(UUID().uuidString)", directoryHint: .isDirectory)
      }
  }

  func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }

  private func path(_ name: String) -> String { file(name).path(percentEncoded: false) }

  /// Creates the folder for its user only, and denies other users access to an existing one.
  func create() throws {
    // Without the slash at its end, which would follow a link.
    let path =
      "\(url.deletingLastPathComponent().path(percentEncoded: false))\(url.lastPathComponent)"
    // Each call gets a path that lives until it returns.
    if unsafe mkdir(path, 0o700) == 0 { return }
    guard errno == EEXIST else {
      let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      throw LoadError(
        .file, "the folder \(path) can't be created: \(error.code.text)",
        advice: "Check that the database's folder is writable", underlying: error)
    }
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid()
    else {
      throw LoadError(
        .file, "\(path) isn't a folder of this user's", advice: "Remove it, or move the database")
    }
    guard status.st_mode & 0o077 != 0 else { return }
    // A file system without permissions refuses to change them.
    _ = unsafe fchmodat(AT_FDCWD, path, status.st_mode & 0o700, AT_SYMLINK_NOFOLLOW)
  }

  func remove() { try? FileManager.default.removeItem(at: url) }
}

extension OutboxFolder {
  private static let sessionSuffix = ".session"

  /// Begins a session: creates and locks its file.
  func begin(_ session: String) throws -> OutputFile {
    try create()
    // A process that looks for sessions that have ended may hold the lock for a moment.
    for _ in 0..<100 {
      if let lock = try? OutputFile(path(session + Self.sessionSuffix)) { return lock }
      usleep(1000)
    }
    return try OutputFile(path(session + Self.sessionSuffix))
  }

  func end(_ session: String, _ lock: OutputFile) {
    OutputFile.remove(path(session + Self.sessionSuffix))
    lock.close()
  }

  /// Removes the file of a session whose process has ended; returns `false` if it hasn't, or that
  /// can't be determined.
  func removeIfEnded(_ session: String) -> Bool {
    let path = path(session + Self.sessionSuffix)
    guard unsafe access(path, F_OK) == 0 else { return errno == ENOENT }
    guard let lock = try? OutputFile(path) else { return false }
    // Under the lock, so that a session that is beginning finds its file gone, and creates another
    // one.
    end(session, lock)
    return true
  }
}

extension OutboxFolder {
  private static let bodySuffix = ".body"

  /// The sessions that have a file, and the files of bodies with the sessions that wrote them.
  var files: (sessions: [String], bodies: [(name: String, session: String)]) {
    let path = url.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return (
      names.filter { $0.hasSuffix(Self.sessionSuffix) }
        .map { String($0.dropLast(Self.sessionSuffix.count)) },
      names.filter { $0.hasSuffix(Self.bodySuffix) }
        .map { (name: $0, session: String($0.prefix { $0 != "." })) }
    )
  }

  /// Writes a piece of a body to a file of its own, and returns its name.
  func keep(
    _ segment: WireBody.Segment, of session: String, synchronizing: Bool
  ) throws -> String {
    let name = "\(session).\(UUID().uuidString)\(Self.bodySuffix)"
    let output = try OutputFile(new: path(name))
    defer { output.close() }
    do {
      var reader = WireBody([segment]).makeReader()
      while let chunk = try reader.next(atMost: 1 << 18) { try output.write(chunk) }
      if synchronizing { try output.synchronize() }
      return name
    } catch {
      remove([name])
      throw error
    }
  }

  func remove(_ names: some Sequence<String>) {
    for name in names { OutputFile.remove(path(name)) }
  }
}
