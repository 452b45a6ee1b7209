/// How the program ends, as a shell sees it.
enum Outcome: Int32 {
  /// What was asked for is listed.
  case success = 0
  /// A feed that was asked for, or everything that was recorded, failed.
  case failure = 1
  /// The command line can't be understood (`EX_USAGE` of sysexits.h).
  case usage = 64
  /// The library can't be read or written (`EX_IOERR`).
  case database = 74
  /// Ctrl-C.
  case interrupted = 130
}
