#if Curl && os(Linux)
  import Foundation
  import Glibc
  import ResourceLoading
  import ResourceTesting
  import TestSupport

  /// An HTTP/2 server in the program `nginx`. It responds with the beginning of the request line.
  final class HTTP2Server {
    static let isAvailable =
      TLSAuthority.isAvailable && FileManager.default.isExecutableFile(atPath: program)
    private static let program = "/usr/sbin/nginx"

    let url: URL
    let authority: TLSAuthority
    private let process = Process()

    struct Failure: Error {}

    /// - Parameters:
    ///   - requests: The number of requests after which it closes a connection.
    ///   - streams: The most requests in flight on a connection.
    init(requestsPerConnection requests: Int = 1000, concurrentStreams streams: Int = 128) throws {
      authority = try TLSAuthority()
      try authority.issue("server", for: "IP:127.0.0.1")
      let port = try UnservedPort(.refusing).port
      guard let url = URL(string: "https://127.0.0.1:\(port)") else { throw Failure() }
      self.url = url
      try Self.configuration(port, requests, streams).write(
        to: authority.file("nginx.conf"), atomically: true, encoding: .utf8)
      process.executableURL = URL(filePath: Self.program)
      process.arguments = [
        "-p", authority.folder.path, "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;",
      ]
      process.standardError = FileHandle.nullDevice
      try process.run()
      try waitUntilItListens(port)
    }

    func stop() {
      // The parent may ignore milder signals, and the process inherits that.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    private static func configuration(_ port: Int, _ requests: Int, _ streams: Int) -> String {
      """
      pid nginx.pid;
      master_process off;
      events {}
      http {
        access_log off;
        keepalive_requests \(requests);
        http2_max_concurrent_streams \(streams);
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

    private func waitUntilItListens(_ port: Int) throws {
      for _ in 0..<500 {
        guard process.isRunning else { throw Failure() }
        if let client = LocalSocket.connect(to: port) {
          close(client)
          return
        }
        usleep(10_000)
      }
      throw Failure()
    }
  }
#endif
