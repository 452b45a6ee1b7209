#if os(Linux)
  import Glibc

  /// A socket that listens on a port of this machine.
  struct LocalSocket: Sendable {
    let descriptor: Int32
    let port: Int

    struct Failure: Error {}

    /// - Parameter receiveBuffer: The size of the receive buffer; `nil` for the system's default.
    init(receiveBuffer: Int32? = nil) throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      if var size = receiveBuffer {
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      }
      var (address, size) = (Self.address(0), socklen_t(MemoryLayout<sockaddr_in>.size))
      let isBound = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
        }
      }
      guard isBound, listen(listener, 64) == 0 else { throw Failure() }
      descriptor = listener
      port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Returns the descriptor of a connection to a port of this machine; `nil` if it is refused.
    static func connect(to port: Int) -> Int32? {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let isConnected = withUnsafePointer(to: address(port)) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if !isConnected { close(client) }
      return isConnected ? client : nil
    }

    private static func address(_ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return address
    }
  }
#endif
