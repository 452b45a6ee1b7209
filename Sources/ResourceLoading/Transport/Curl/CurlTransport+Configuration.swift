import ResourcePrimitives

#if Curl && canImport(CResourceCurl)
  import Foundation
  import Glibc

  extension CurlTransport {
    /// The settings of a transport's connections.
    public struct Configuration: Sendable {
      /// The maximum number of connections, including idle ones; further requests wait.
      public var maximumConnections = 256

      /// The maximum number of connections to one host; further requests wait. One connection
      /// carries one request at a time with HTTP/1.1, and many with HTTP/2.
      public var maximumConnectionsPerHost = 64

      /// The time limit for connecting, including the wait for a free connection, name resolution
      /// and TLS; `nil` for no limit but the load's own.
      public var connectTimeout: Duration?

      /// The proxy for all requests; `nil` for none, whatever the environment says.
      public var proxy: ProxyServer?

      /// The versions of HTTP that may be used.
      public var httpVersion = HTTPVersion.automatic

      /// The path of a Unix domain socket to connect to instead of every host and port; `nil` for
      /// TCP.
      public var unixSocketPath: String?

      /// The addresses that connections are allowed to.
      public var addresses = AddressPolicy.any

      /// The trusted authorities, and the client's certificate.
      public var tls = TLSOptions()

      /// Creates the default configuration: at most 64 connections to a host and 256 in all, no
      /// proxy, the system's authorities.
      public init() {}
    }

    /// The versions of HTTP that may be used.
    @nonexhaustive
    public enum HTTPVersion: Sendable, Hashable {
      /// HTTP/2 where TLS negotiates it, HTTP/1.1 elsewhere.
      case automatic
      /// HTTP/1.1 only.
      case http1
    }
  }

  extension CurlTransport.Configuration {
    /// Checks settings that libcurl would ignore, or refuse with an unclear error.
    func check() throws(LoadError) {
      try tls.check()
      try proxy?.check()
      guard addresses.isAny || proxy == nil else { throw .addressesBehindProxy }
      guard let unixSocketPath else { return }
      guard proxy == nil else { throw .proxyBehindSocket }
      // The last byte is the end of the text.
      let (length, maximum) = (
        unixSocketPath.utf8.count, MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
      )
      guard (1...maximum).contains(length) else {
        throw LoadError(
          .invalidRequest,
          "the path of the Unix domain socket has \(length) bytes: "
            + "\(unixSocketPath.prefix(scalars: 200).printable)",
          advice: "Use a path of at most \(maximum) bytes")
      }
    }
  }

  extension CurlTransport {
    /// The addresses that a transport connects to.
    ///
    /// They are checked right before each connection, after the name was resolved, so it doesn't
    /// matter whether the address comes from a literal, a name or a redirect. A load that leads to
    /// another address fails with a ``LoadError`` of kind ``LoadError/Kind/address``, and nothing
    /// is sent.
    ///
    /// ```swift
    /// var configuration = CurlTransport.Configuration()
    /// configuration.addresses = .publicOnly
    /// let client = Client { $0.transport = CurlTransport(configuration) }
    /// ```
    ///
    /// > Note: A proxy resolves names on its own, so a transport can't have both; its loads fail >
    /// with an error of kind ``LoadError/Kind/invalidRequest``. A `URLSession` can't check >
    /// addresses, and ``URLSessionTransport`` has no such property.
    public struct AddressPolicy: Sendable, Hashable {
      /// `nil` for all addresses.
      private let exceptions: [IPNetwork]?

      /// All addresses.
      public static let any = AddressPolicy(exceptions: nil)

      /// The addresses of the public internet only (RFC 6890): none that is private, of this
      /// machine or network, or reserved. For servers that load URLs of users, against server-side
      /// request forgery.
      public static let publicOnly = AddressPolicy(exceptions: [])

      /// The addresses of the public internet, and some more.
      ///
      /// - Parameter exceptions: Addresses, such as `10.1.2.3`, and networks, such as
      ///   `10.1.0.0/16`. Other texts are ignored.
      public static func publicOnly(and exceptions: [String]) -> AddressPolicy {
        AddressPolicy(exceptions: exceptions.compactMap { IPNetwork($0) })
      }
    }
  }

  extension CurlTransport.AddressPolicy {
    var isAny: Bool { exceptions == nil }

    func allows(_ address: IPAddress) -> Bool {
      guard let exceptions else { return true }
      return address.isPublic || exceptions.contains { $0.contains(address) }
    }
  }

  /// The address of a host, as bytes: 4 of IPv4 or 16 of IPv6.
  struct IPAddress: Sendable, Hashable {
    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Parses an address as `inet_pton(3)` does; `nil` if it isn't one.
    init?(_ text: some StringProtocol) {
      let isIPv6 = text.includes(":")
      var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
      // `inet_pton` writes as many bytes as the family's addresses have.
      guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(text), &bytes) == 1 else {
        return nil
      }
      self.bytes = bytes
    }
  }

  /// The addresses with a common prefix, such as `10.0.0.0/8`.
  struct IPNetwork: Sendable, Hashable {
    private let address: IPAddress
    /// The number of bits in the prefix.
    private let length: Int

    /// Parses a network or a single address; `nil` if it is neither.
    init?(_ text: String) {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
      let all = address.bytes.count * 8
      guard let length = parts.count == 2 ? Int(parts[1]) : all, (0...all).contains(length) else {
        return nil
      }
      (self.address, self.length) = (address, length)
    }

    func contains(_ other: IPAddress) -> Bool {
      guard other.bytes.count == address.bytes.count else { return false }
      return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
        let bits = min(8, max(0, length - index * 8))
        return (pair.0 ^ pair.1) & ~UInt8(truncatingIfNeeded: 0xFF >> bits) == 0
      }
    }
  }

  extension IPAddress {
    /// Whether it can be the address of a host on the public internet, according to IANA's
    /// registries of special-purpose addresses (RFC 6890). An IPv6 address that contains one of
    /// IPv4 is treated as that.
    var isPublic: Bool {
      guard bytes.count == 16 else { return !Self.special.contains { $0.contains(self) } }
      if Self.mapped.contains(where: { $0.contains(self) }) {
        return IPAddress(bytes.suffix(4)).isPublic
      }
      if Self.sixToFour?.contains(self) == true { return IPAddress(bytes[2..<6]).isPublic }
      return Self.global?.contains(self) == true && !Self.special.contains { $0.contains(self) }
    }

    /// `::ffff:0:0/96` (RFC 4291) and `64:ff9b::/96` (RFC 6052): IPv4 at the end.
    private static let mapped = ["::ffff:0:0/96", "64:ff9b::/96"].compactMap { IPNetwork($0) }
    /// RFC 3056: IPv4 after the first two bytes.
    private static let sixToFour = IPNetwork("2002::/16")
    /// The part of IPv6 that has been assigned so far.
    private static let global = IPNetwork("2000::/3")

    private static let special = [
      // This host, private (RFC 1918), shared (RFC 6598), loopback, link-local.
      "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
      // Protocol assignments, documentation, old relays, private, benchmarks.
      "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
      // Documentation, multicast, reserved and broadcast.
      "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
      // Protocol assignments with Teredo and benchmarks; documentation.
      "2001::/23", "2001:db8::/32", "3fff::/20",
    ].compactMap { IPNetwork($0) }
  }
#endif
