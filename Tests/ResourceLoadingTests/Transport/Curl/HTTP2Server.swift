#if Curl && os(Linux)
  import Foundation
  import Glibc
  import ResourceLoading
  import ResourceTesting

  /// A server that speaks HTTP/2, by the program `nginx`. It answers with the request line's
  /// beginning.
  final class HTTP2Server {
    static let isAvailable =
      TLSAuthority.isAvailable && FileManager.default.isExecutableFile(atPath: program)
    private static let program = "/usr/sbin/nginx"

    let url: URL
    private let authority: TLSAuthority
    private let process = Process()

    struct Failure: Error {}

    init() throws {
      authority = try TLSAuthority()
      try authority.issue("server", for: "IP:127.0.0.1")
      let port = try UnservedPort(.refusing).port
      guard let url = URL(string: "https://127.0.0.1:\(port)") else { throw Failure() }
      self.url = url
      try Self.configuration(port).write(
        to: authority.file("nginx.conf"), atomically: true, encoding: .utf8)
      process.executableURL = URL(filePath: Self.program)
      process.arguments = [
        "-p", authority.folder.path, "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;",
      ]
      process.standardError = FileHandle.nullDevice
      try process.run()
      try waitUntilItListens(UInt16(port))
    }

    /// What trusts it.
    var trusting: CurlTransport.Configuration {
      var configuration = CurlTransport.Configuration()
      configuration.tls.additionalAuthorities = [.file(authority.file("ca.pem"))]
      return configuration
    }

    func stop() {
      // It may have been started by somebody who ignores milder signals.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    private static func configuration(_ port: Int) -> String {
      """
      pid nginx.pid;
      master_process off;
      events {}
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate server.pem;
          ssl_certificate_key server.key;
          default_type text/plain;
          return 200 "$request_method $uri";
        }
      }
      """
    }

    private func waitUntilItListens(_ port: UInt16) throws {
      for _ in 0..<500 {
        guard process.isRunning else { throw Failure() }
        if Self.accepts(port) { return }
        usleep(10_000)
      }
      throw Failure()
    }

    private static func accepts(_ port: UInt16) -> Bool {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(client) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }
  }
#endif
