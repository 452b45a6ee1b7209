#if canImport(CResourceSQLite)
  import CResourceSQLite
  import Foundation
  import Synchronization

  /// A disk under SQLite of which one call fails once. It serves the whole process, so it is for
  /// exit tests only.
  ///
  /// See <https://sqlite.org/vfs.html>.
  package enum SimulatedDisk {
    package enum Call: CaseIterable { case open, read, write, synchronize, map }

    /// A failure as SQLite's own code for Unix reports it.
    package struct Failure {
      package var call: Call
      /// The number of calls that succeed before.
      package var skipped: Int
      package var system: Int32

      package init(call: Call, skipped: Int, system: Int32) {
        self.call = call
        self.skipped = skipped
        self.system = system
      }
    }

    private struct State {
      var failure: Failure?
      var open: OpenFunction?
      /// The methods that fail, by those of the system's files, and the reverse.
      var failing: [UnsafePointer<sqlite3_io_methods>: UnsafePointer<sqlite3_io_methods>] = [:]
      var systems: [UnsafePointer<sqlite3_io_methods>: sqlite3_io_methods] = [:]
    }

    private typealias OpenFunction =
      @convention(c) (
        UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?,
        UnsafeMutablePointer<sqlite3_file>?, Int32, UnsafeMutablePointer<Int32>?
      ) -> Int32

    private static let state = Mutex(State())

    /// Fails one call; all others succeed.
    package static func fail(_ failure: Failure) {
      install()
      state.withLock { $0.failure = failure }
    }

    /// Whether the call that was to fail has done so.
    package static var hasFailed: Bool { state.withLock { $0.failure == nil } }

    /// The error of a call that is to fail now, as `errno`.
    private static func failure(of call: Call) -> Int32? {
      state.withLock { state in
        guard let failure = state.failure, failure.call == call else { return nil }
        guard failure.skipped == 0 else {
          state.failure?.skipped -= 1
          return nil
        }
        state.failure = nil
        return failure.system
      }
    }

    private static func system(
      _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> sqlite3_io_methods? {
      let failing = file?.pointee.pMethods.map(Int.init(bitPattern:))
      return state.withLock { state in
        failing.flatMap { UnsafePointer(bitPattern: $0) }.flatMap { state.systems[$0] }
      }
    }

    private static func install() {
      guard state.withLock({ $0.open == nil }), let system = sqlite3_vfs_find(nil) else { return }
      let disk = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
      disk.initialize(to: system.pointee)
      disk.pointee.zName = UnsafePointer(strdup("simulated"))
      state.withLock { $0.open = system.pointee.xOpen }
      disk.pointee.xOpen = { disk, name, file, flags, outFlags in
        if let number = SimulatedDisk.failure(of: .open) {
          file?.pointee.pMethods = nil
          errno = number
          return SQLITE_CANTOPEN
        }
        let open = SimulatedDisk.state.withLock(\.open)
        let code = open?(disk, name, file, flags, outFlags) ?? SQLITE_ERROR
        if code == SQLITE_OK, let file { SimulatedDisk.replaceMethods(of: file) }
        return code
      }
      sqlite3_vfs_register(disk, 1)
    }

    private static func replaceMethods(of file: UnsafeMutablePointer<sqlite3_file>) {
      guard let system = file.pointee.pMethods else { return }
      let (address, methods) = (Int(bitPattern: system), system.pointee)
      let known = state.withLock { state in
        UnsafePointer(bitPattern: address).flatMap { state.failing[$0] }.map(Int.init(bitPattern:))
      }
      if let known {
        file.pointee.pMethods = UnsafePointer(bitPattern: known)
        return
      }
      let failing = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      failing.initialize(to: methods)
      fail(failing)
      let own = Int(bitPattern: failing)
      state.withLock { state in
        guard let system = UnsafePointer<sqlite3_io_methods>(bitPattern: address),
          let own = UnsafePointer<sqlite3_io_methods>(bitPattern: own)
        else { return }
        (state.failing[system], state.systems[own]) = (own, methods)
      }
      file.pointee.pMethods = UnsafePointer(failing)
    }

    private static func fail(_ failing: UnsafeMutablePointer<sqlite3_io_methods>) {
      failing.pointee.xRead = { file, bytes, count, offset in
        guard let number = SimulatedDisk.failure(of: .read) else {
          return SimulatedDisk.system(file)?.xRead(file, bytes, count, offset) ?? SQLITE_ERROR
        }
        errno = number
        // What SQLite makes of EIO: `SQLITE_IOERR_CORRUPTFS`.
        return number == EIO ? SQLITE_IOERR | 33 << 8 : SQLITE_IOERR | 1 << 8
      }
      failing.pointee.xWrite = { file, bytes, count, offset in
        guard let number = SimulatedDisk.failure(of: .write) else {
          return SimulatedDisk.system(file)?.xWrite(file, bytes, count, offset) ?? SQLITE_ERROR
        }
        errno = number
        return number == ENOSPC ? SQLITE_FULL : SQLITE_IOERR | 3 << 8
      }
      failing.pointee.xSync = { file, flags in
        guard let number = SimulatedDisk.failure(of: .synchronize) else {
          return SimulatedDisk.system(file)?.xSync(file, flags) ?? SQLITE_ERROR
        }
        errno = number
        return SQLITE_IOERR | 4 << 8
      }
      guard failing.pointee.iVersion > 1, failing.pointee.xShmMap != nil else { return }
      failing.pointee.xShmMap = { file, page, size, extends, address in
        guard let number = SimulatedDisk.failure(of: .map) else {
          return SimulatedDisk.system(file)?.xShmMap(file, page, size, extends, address)
            ?? SQLITE_ERROR
        }
        errno = number
        return number == ENOMEM ? SQLITE_IOERR | 12 << 8 : SQLITE_IOERR | 21 << 8
      }
    }
  }
#endif
