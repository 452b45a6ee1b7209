import Foundation
import TestSupport

/// A headless Chromium, if one is installed (Debian's package `chromium`).
enum Browser {
  static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Returns the document of a page after its scripts have run; that of a page which follows events
  /// when these have ended.
  static func document(of page: URL, isDark: Bool = false) async throws -> String {
    let folder = try TemporaryFolder()
    let scheme = "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)"
    return try await run([
      "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
      "--user-data-dir=\(folder.url.path)", "--window-size=1400,1000", scheme,
      "--virtual-time-budget=1500", "--dump-dom",
      page.absoluteString,
    ])
  }

  private static func run(_ arguments: [String]) async throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: path ?? "")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    return try await withCheckedThrowingContinuation { continuation in
      // Reading blocks until the browser ends, so it has a thread of its own.
      let thread = Thread {
        do {
          try process.run()
          DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(120)) {
            process.terminate()
          }
          let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
          process.waitUntilExit()
          continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
        } catch {
          continuation.resume(throwing: error)
        }
      }
      thread.start()
    }
  }
}
