#if Curl && canImport(CResourceCurl)
  extension CurlTransport {
    /// Which addresses a transport connects to.
    ///
    /// Looked at right before each connection, when the name has become an address: it doesn't matter how the
    /// address was come by, by a literal, a name that leads elsewhere, or a redirect. A load that leads to
    /// other ones fails with a ``LoadError`` of kind ``LoadError/Kind/address``, and nothing is sent.
    ///
    /// ```swift
    /// var configuration = CurlTransport.Configuration()
    /// configuration.addresses = .publicOnly
    /// let client = Client { $0.transport = CurlTransport(configuration) }
    /// ```
    ///
    /// > Note: A proxy looks names up by itself, so that a transport can't have both; its loads fail with an
    /// > error of kind ``LoadError/Kind/invalidRequest``. A `URLSession` can't do this at all, and
    /// > ``URLSessionTransport`` has no such property.
    public struct AddressPolicy: Sendable, Hashable {
      /// `nil` for all addresses.
      private let exceptions: [IPNetwork]?

      /// All there are.
      public static let any = AddressPolicy(exceptions: nil)

      /// Those of the public internet only (RFC 6890): none that is private, of this machine or network, or
      /// kept for a purpose of its own. For servers that load what users name (server-side request forgery).
      public static let publicOnly = AddressPolicy(exceptions: [])

      /// The same, and some more.
      ///
      /// - Parameter exceptions: Addresses, such as `10.1.2.3`, and networks, such as `10.1.0.0/16`. What is
      ///   neither counts for nothing.
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

  extension LoadError {
    static let refusedAddress = LoadError(
      .address, "the host has an address that mustn't be connected to",
      advice: "Allow it by the transport's configuration.addresses if that is meant")

    static let addressesBehindProxy = LoadError(
      .invalidRequest, "a proxy looks up names by itself, so addresses can't be checked",
      advice: "Have the proxy check them, and set configuration.addresses to .any")
  }
#endif
