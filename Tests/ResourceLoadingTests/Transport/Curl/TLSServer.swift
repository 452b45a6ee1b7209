#if Curl && os(Linux)
  import Foundation
  import Glibc

  /// A server that speaks TLS, by the program `openssl`. It answers each request with a page about
  /// it.
  final class TLSServer {
    let url: URL
    private let process = Process()

    struct Failure: Error {}

    /// - Parameters:
    ///   - authority: Who issued the certificate.
    ///   - certificate: The name of its files.
    ///   - options: More of what the program understands.
    /// - Throws: What starting the program throws, or `Failure` if it doesn't listen.
    init(_ authority: TLSAuthority, _ certificate: String, options: [String] = []) throws {
      let output = Pipe()
      process.executableURL = URL(filePath: TLSAuthority.program)
      process.currentDirectoryURL = authority.folder
      process.arguments =
        [
          "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "\(certificate).pem", "-key",
          "\(certificate).key",
        ] + options
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      url = try Self.address(in: output.fileHandleForReading)
    }

    /// Reads up to the line that names the port.
    private static func address(in output: FileHandle) throws -> URL {
      var text = ""
      while case let chunk = output.availableData, !chunk.isEmpty {
        text += String(decoding: chunk, as: UTF8.self)
        guard let match = text.firstMatch(of: #/ACCEPT 127\.0\.0\.1:(\d+)\n/#) else { continue }
        if let url = URL(string: "https://127.0.0.1:\(match.1)/") { return url }
      }
      throw Failure()
    }

    func stop() {
      // It may have been started by somebody who ignores milder signals.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }
#endif
