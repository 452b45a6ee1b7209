import Foundation

/// The exit status of the program.
enum ProgramStatus: Int32 {
  case success = 0
  /// A feed that was asked for, or every recorded one, failed.
  case failure = 1
  /// The command line can't be understood (`EX_USAGE` of sysexits.h).
  case usage = 64
  /// A recording can't be read or written (`EX_NOINPUT`).
  case recording = 66
  /// The library can't be read or written (`EX_IOERR`).
  case database = 74
  /// Ctrl-C.
  case interrupted = 130
}

/// A file of the program that can't be used.
struct FileError: Error {
  /// The kind of file and its path, for the message.
  let file: String
  let cause: any Error
  /// The exit status for it.
  let status: ProgramStatus
}

extension FileError {
  /// A recording that can't be read or written.
  init(recording file: URL, _ cause: any Error) {
    self.init(
      file: "the recording, \(file.path(percentEncoded: false))", cause: cause, status: .recording)
  }
}
