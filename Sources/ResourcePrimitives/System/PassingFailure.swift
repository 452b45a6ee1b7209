package import Foundation

/// An error that may mean that the same attempt can succeed later without a correction: this
/// machine has no descriptor, memory or room at the moment, or a file couldn't be read once.
package protocol PassingFailure: Error {
  var mayPass: Bool { get }
}

extension POSIXError: PassingFailure {
  package var mayPass: Bool {
    switch code {
    case .EMFILE, .ENFILE, .ENOMEM, .ENOBUFS, .ENOSPC, .EDQUOT, .EIO, .EAGAIN, .EINTR, .EBUSY,
      .ETIMEDOUT, .ESTALE:
      true
    default: false
    }
  }
}

extension POSIXError {
  /// The error that a system call has left in `errno`, or `EIO` for a code that Foundation doesn't
  /// know.
  package init(number: Int32) { self.init(POSIXErrorCode(rawValue: number) ?? .EIO) }

  /// The error of the system behind an error of Foundation; `nil` if there is none.
  package init?(behind error: any Error) {
    var error = error
    // Errors aren't nested deeper than this.
    for _ in 0..<4 {
      if let found = error as? POSIXError {
        self = found
        return
      }
      guard let inner = (error as? CocoaError)?.underlying else { return nil }
      error = inner
    }
    return nil
  }

  /// The system's text for the error, such as `Too many open files`.
  package var text: String { unsafe String(cString: strerror(code.rawValue)) }

  /// Advice for a shortage; `nil` for other errors.
  package var advice: String? {
    switch code {
    case .EMFILE, .ENFILE: "Raise the process's limit of descriptors (ulimit -n), or open fewer"
    case .ENOSPC, .EDQUOT: "Make room on the disk"
    default: nil
    }
  }
}
