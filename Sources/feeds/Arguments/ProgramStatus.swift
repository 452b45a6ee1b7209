import ResourceLoading

/// The exit status of the program.
enum ProgramStatus: Int32 {
  case success = 0
  /// A feed that was asked for, or every recorded one, failed.
  case failure = 1
  /// The command line can't be understood (`EX_USAGE` of sysexits.h).
  case usage = 64
  /// The library can't be read or written (`EX_IOERR`).
  case database = 74
  /// Ctrl-C.
  case interrupted = 130
}

/// A library that can't be used.
struct LibraryError: Error {
  let path: String
  let cause: LoadError
}
