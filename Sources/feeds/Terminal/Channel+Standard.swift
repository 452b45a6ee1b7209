import Foundation

extension Channel {
  /// The process's standard output.
  static func standardOutput(_ environment: [String: String]) -> Channel {
    Channel(.standardOutput, environment)
  }

  /// The process's standard error.
  static func standardError(_ environment: [String: String]) -> Channel {
    Channel(.standardError, environment)
  }

  private init(_ handle: FileHandle, _ environment: [String: String]) {
    // Whoever reads may have left, as head does: then there is nobody to tell.
    write = { text in try? handle.write(contentsOf: Data(text.utf8)) }
    isTerminal = isatty(handle.fileDescriptor) != 0 && environment["TERM"] != "dumb"
    hasColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    let columns = environment["COLUMNS"].flatMap { Int($0) }
    width = max(Self.windowWidth(handle.fileDescriptor) ?? columns ?? 80, 20)
  }

  /// The columns of the window behind a descriptor, `nil` if it is no window or doesn't say.
  private static func windowWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
