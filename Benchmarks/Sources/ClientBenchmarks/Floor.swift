import CCurlMulti
import Foundation
import Measuring
import Rows

/// What the same loads take without a library above libcurl, and what the server takes.
func registerFloor(of url: URL) {
  let address = url.absoluteString
  #if os(Linux)
    Row.data64.register(.curlMulti) { count in
      let bytes = curl_multi_loads(address, Int32(count), 64)
      precondition(bytes == count * 1_024, "a load failed")
    }
  #endif
  guard let program = LoadGenerator() else { return }
  Row.server.registerCount(.wrk) { count in program.nanosecondsPerRequest(url) * count }
  Row.server.registerCount(.allowed) { count in 9_000 * count }
}

/// The program `wrk`, if it is installed: it asks for the same over and over, and looks at nothing
/// that comes.
private struct LoadGenerator {
  private let path: String

  init?() {
    guard
      let path = ["/usr/bin/wrk", "/usr/local/bin/wrk"].first(where: {
        FileManager.default.isExecutableFile(atPath: $0)
      })
    else { return nil }
    self.path = path
  }

  /// The time of a request, of 64 at once on one thread.
  func nanosecondsPerRequest(_ url: URL) -> Int {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: path)
    process.arguments = ["-t1", "-c64", "-d1s", url.absoluteString]
    process.standardOutput = output
    do { try process.run() } catch { preconditionFailure("wrk can't be run: \(error)") }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let line = text.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") }
    let rate = line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
    // On a machine that is held up it may have come to none.
    return Int(1e9 / max(rate, 1))
  }
}
