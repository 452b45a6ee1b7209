package import Foundation
import ResourcePrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that is read. It is closed when it is released.
///
/// Foundation's `FileHandle` brings the tables of ICU with it, which would be most of a small static
/// program on Linux.
package final class InputFile: Sendable {
  private let descriptor: Int32

  /// Opens a file.
  package init(_ file: URL) throws(POSIXError) {
    guard file.isFileURL else { throw POSIXError(.EINVAL) }
    descriptor = systemOpen(file.path(percentEncoded: false), O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw POSIXError(number: errno) }
  }

  /// Takes over a descriptor.
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { if descriptor >= 0 { systemClose(descriptor) } }
}

extension InputFile {
  /// The status of the file; `nil` if the system doesn't say.
  var status: stat? { systemStatus(descriptor) }

  /// Reads bytes at an offset; fewer than requested only at the end of the file.
  package func read(_ count: Int, at offset: Int) throws(POSIXError) -> Data {
    try systemRead(count, of: descriptor, at: offset)
  }
}
