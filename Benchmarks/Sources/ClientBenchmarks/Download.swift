import Foundation
import Measuring
import ResourceLoading
import Rows

/// 256 MB into a file.
func registerDownload(of url: URL) {
  let file = FileManager.default.temporaryDirectory.appending(
    path: "download-\(ProcessInfo.processInfo.processIdentifier)")
  Row.download.registerAsync(.ours) { count in
    await run(count, inFlight: 1) {
      _ = try await Peers.curlClient.load(.download(Request(url: url), to: file))
    }
    try? FileManager.default.removeItem(at: file)
  }
  guard let program = CurlProgram() else { return }
  Row.download.register(.curlProgram) { count in
    for _ in 0..<count { program.download(url, to: file) }
    try? FileManager.default.removeItem(at: file)
  }
}

/// The program `curl`, if it is installed.
private struct CurlProgram {
  private let path: String

  init?() {
    guard
      let path = ["/usr/bin/curl", "/usr/local/bin/curl"].first(where: {
        FileManager.default.isExecutableFile(atPath: $0)
      })
    else { return nil }
    self.path = path
  }

  func download(_ url: URL, to file: URL) {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = ["--silent", "--fail", "--output", file.path, url.absoluteString]
    do { try process.run() } catch { preconditionFailure("curl can't be run: \(error)") }
    process.waitUntilExit()
    precondition(process.terminationStatus == 0)
  }
}
