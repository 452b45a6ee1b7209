#if Curl && os(Linux)
  import Foundation
  import Glibc
  import ResourceLoading
  import TestSupport

  extension TLSAuthority {
    /// The settings of a transport that trusts the authority.
    var trusting: CurlTransport.Configuration {
      var configuration = CurlTransport.Configuration()
      configuration.tls.additionalAuthorities = [.file(file("ca.pem"))]
      return configuration
    }
  }

  /// A TLS server in the program `openssl`. It responds to each request with a page about it.
  final class TLSServer {
    let url: URL
    private let process = Process()

    struct Failure: Error {}

    /// The options are additional ones of the program.
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
      // The parent may ignore milder signals, and the process inherits that.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }
#endif
