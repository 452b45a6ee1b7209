#if Curl && os(Linux)
  import Foundation
  import Glibc
  import Synchronization

  /// Writes the given bytes to each connection of a Unix domain socket and closes it. It uses no
  /// ports, because a million connections would use all of them.
  final class UnixServer: Sendable {
    let path: String
    private let listener: Int32

    struct Failure: Error {}

    /// - Parameter answer: The bytes for a connection, by its number from 0. Called on one thread.
    init(_ answer: @escaping @Sendable (Int) -> [UInt8]) throws {
      path = "\(NSTemporaryDirectory())/resource-\(UUID().uuidString.prefix(8)).socket"
      listener = try Self.listen(at: path)
      let thread = Thread { [listener] in
        var number = 0
        while true {
          let socket = accept(listener, nil, nil)
          guard socket >= 0 else { return }
          Self.serve(socket, answer(number))
          number += 1
        }
      }
      thread.start()
    }

    deinit {
      stop()
    }

    func stop() {
      shutdown(listener, Int32(SHUT_RDWR))
      unlink(path)
    }

    private static func listen(at path: String) throws -> Int32 {
      let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
      let result = withUnsafePointer(to: address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard result == 0, Glibc.listen(listener, 1024) == 0 else { throw Failure() }
      return listener
    }

    /// A request fits into one read.
    private static func serve(_ socket: Int32, _ bytes: [UInt8]) {
      var buffer = [UInt8](repeating: 0, count: 4096)
      _ = recv(socket, &buffer, buffer.count, 0)
      _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      close(socket)
    }
  }
#endif
