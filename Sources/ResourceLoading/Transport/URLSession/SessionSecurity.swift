#if URLSession || !os(Linux)
  import Foundation
  import ResourcePrimitives

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #else
    import Network
    import Security
  #endif

  /// TLS and the proxy of a `URLSession`: settings of its configuration, and answers to challenges.
  struct SessionSecurity: Sendable {
    private let tls: TLSOptions
    private let proxy: ProxyServer?
    private let authorities: [Data]

    init(_ tls: TLSOptions, _ proxy: ProxyServer?) throws(LoadError) {
      try tls.check()
      try proxy?.check()
      (self.tls, self.proxy) = (tls, proxy)
      #if canImport(FoundationNetworking)
        guard tls == TLSOptions(), proxy == nil else {
          throw .notOfURLSession("TLS options and a proxy")
        }
        authorities = []
      #else
        if proxy?.scheme.hasPrefix("socks4") == true { throw .notOfURLSession("a SOCKS 4 proxy") }
        var authorities: [Data] = []
        for authority in tls.additionalAuthorities {
          let certificates = PEMText.certificates(in: try authority.text)
          guard !certificates.isEmpty, certificates.allSatisfy({ $0.certificate != nil }) else {
            throw LoadError(
              .secureConnection, "the certificate authorities in \(authority) can't be read",
              advice: "Give certificates in PEM")
          }
          authorities += certificates
        }
        self.authorities = authorities
        _ = try tls.clientCertificate?.credential
      #endif
    }
  }

  extension SessionSecurity {
    /// The text about its certificate and its proxy.
    var identity: String? {
      ConnectionIdentity.text(certificate: tls.clientCertificate, proxy: proxy)
    }
  }

  extension LoadError {
    fileprivate static func notOfURLSession(_ what: String) -> LoadError {
      #if canImport(FoundationNetworking)
        let advice = "Load with a client over libcurl, which has the package's trait Curl"
      #else
        let advice = "Leave it out of the client's configuration, or use another transport"
      #endif
      return LoadError(.invalidRequest, "URLSession can't do \(what) here", advice: advice)
    }
  }

  #if canImport(FoundationNetworking)
    extension SessionSecurity {
      func apply(to configuration: URLSessionConfiguration) {}

      func answer(_ challenge: URLAuthenticationChallenge) -> Result<URLCredential, LoadError>? {
        nil
      }
    }
  #else
    extension SessionSecurity {
      /// Sets the options for which a configuration has properties.
      func apply(to configuration: URLSessionConfiguration) {
        configuration.tlsMinimumSupportedProtocolVersion = tls.minimumVersion.ofSystem
        if let proxy = proxy?.configuration { configuration.proxyConfigurations = [proxy] }
      }

      /// Returns the answer to a challenge of TLS; `nil` to leave it to the system.
      func answer(_ challenge: URLAuthenticationChallenge) -> Result<URLCredential, LoadError>? {
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
          guard decidesTrust, let trust = challenge.protectionSpace.serverTrust else { return nil }
          return check(trust).map { Result.failure($0) } ?? .success(URLCredential(trust: trust))
        case NSURLAuthenticationMethodClientCertificate:
          guard let certificate = tls.clientCertificate else { return nil }
          do throws(LoadError) { return .success(try certificate.credential) } catch {
            return .failure(error)
          }
        default: return nil
        }
      }

      /// Whether the system's decision about a server isn't enough.
      private var decidesTrust: Bool {
        !tls.trustsSystem || !authorities.isEmpty || tls.pins != nil
      }

      /// Returns the options of a connection that isn't the session's.
      ///
      /// - Parameters:
      ///   - host: The name of the server, which its certificate has to have.
      ///   - queue: The queue on which its certificate is checked.
      ///   - fail: Called with the reason if the server isn't trusted, before the connection fails.
      func options(
        for host: String, on queue: DispatchQueue, fail: @escaping @Sendable (LoadError) -> Void
      ) throws(LoadError) -> NWProtocolTLS.Options {
        let options = NWProtocolTLS.Options()
        let protocolOptions = options.securityProtocolOptions
        sec_protocol_options_add_tls_application_protocol(protocolOptions, "http/1.1")
        sec_protocol_options_set_min_tls_protocol_version(
          protocolOptions, tls.minimumVersion.ofSystem)
        if let (identity, chain) = try tls.clientCertificate?.identity {
          guard let identity = sec_identity_create_with_certificates(identity, chain as CFArray)
          else { throw LoadError(.secureConnection, "the client certificate can't be used") }
          sec_protocol_options_set_local_identity(protocolOptions, identity)
        }
        guard decidesTrust else { return options }
        let verify: sec_protocol_verify_t = { [self] _, trust, complete in
          let failure = check(sec_trust_copy_ref(trust).takeRetainedValue(), for: host)
          if let failure { fail(failure) }
          complete(failure == nil)
        }
        sec_protocol_options_set_verify_block(protocolOptions, verify, queue)
        return options
      }

      /// Returns the reason why a server isn't the one of a name; `nil` if it is.
      private func check(_ trust: SecTrust, for host: String) -> LoadError? {
        let policy = SecPolicyCreateSSL(true, host as CFString)
        guard SecTrustSetPolicies(trust, policy) == errSecSuccess else {
          return LoadError.untrusted.explained(by: "the policy can't be set")
        }
        return check(trust)
      }

      /// Returns the reason why a server isn't trusted; `nil` if it is. The policy of the trust,
      /// which has the name of the host, stays as it is.
      private func check(_ trust: SecTrust) -> LoadError? {
        if !tls.trustsSystem || !authorities.isEmpty {
          let anchors = authorities.compactMap(\.certificate)
          guard SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess,
            SecTrustSetAnchorCertificatesOnly(trust, !tls.trustsSystem) == errSecSuccess
          else { return LoadError.untrusted.explained(by: "the authorities can't be set") }
        }
        var error: CFError?
        guard SecTrustEvaluateWithError(trust, &error) else {
          let reason = error.map { "\($0)".printable } ?? "it was refused"
          return LoadError.untrusted.explained(by: reason)
        }
        guard let keys = tls.pins?.keys(at: Date()) else { return nil }
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
        let pin = chain?.first.flatMap { PublicKeyInfo.pin(of: SecCertificateCopyData($0) as Data) }
        guard let pin, keys.contains(pin) else { return .unpinned }
        return nil
      }
    }

    extension Data {
      /// The certificate in DER; `nil` if it isn't one.
      fileprivate var certificate: SecCertificate? {
        SecCertificateCreateWithData(nil, self as CFData)
      }
    }

    extension TLSOptions.Version {
      fileprivate var ofSystem: tls_protocol_version_t {
        switch self {
        case .tls12: .TLSv12
        case .tls13: .TLSv13
        }
      }
    }

    extension TLSOptions.ClientCertificate {
      fileprivate var credential: URLCredential {
        get throws(LoadError) {
          let (identity, chain) = try identity
          return URLCredential(identity: identity, certificates: chain, persistence: .forSession)
        }
      }

      /// The certificate with its key, and the certificates up to its authority.
      fileprivate var identity: (SecIdentity, chain: [SecCertificate]) {
        get throws(LoadError) {
          guard case .pkcs12(let data) = content else {
            throw .notOfURLSession("a client certificate in PEM")
          }
          // Otherwise macOS would add it to the user's keychain.
          let options: [String: Any] = [
            kSecImportExportPassphrase as String: passphrase ?? "",
            kSecImportToMemoryOnly as String: true,
          ]
          var items: CFArray?
          let status = SecPKCS12Import(data as CFData, options as CFDictionary, &items)
          guard status == errSecSuccess, let first = (items as? [[String: Any]])?.first,
            let value = first[kSecImportItemIdentity as String] as CFTypeRef?,
            CFGetTypeID(value) == SecIdentityGetTypeID()
          else {
            throw LoadError(
              .secureConnection, "the client certificate can't be used (OSStatus \(status))",
              advice: "Check its passphrase")
          }
          let chain = first[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
          // Its type was checked above: `as?` can't check types of CoreFoundation.
          return (value as! SecIdentity, Array(chain.dropFirst()))
        }
      }
    }

    extension ProxyServer {
      /// The proxy's settings for the system; `nil` for a port that is out of range.
      fileprivate var configuration: ProxyConfiguration? {
        guard let host = url.host(percentEncoded: false), let number = UInt16(exactly: port),
          let port = NWEndpoint.Port(rawValue: number)
        else { return nil }
        let endpoint = NWEndpoint.hostPort(host: NWEndpoint.Host(host), port: port)
        var configuration =
          switch scheme {
          case "http": ProxyConfiguration(httpCONNECTProxy: endpoint, tlsOptions: nil)
          case "https":
            ProxyConfiguration(httpCONNECTProxy: endpoint, tlsOptions: NWProtocolTLS.Options())
          default: ProxyConfiguration(socksv5Proxy: endpoint)
          }
        if let user = url.user(percentEncoded: false) {
          configuration.applyCredential(
            username: user, password: url.password(percentEncoded: false) ?? "")
        }
        configuration.excludedDomains = exceptions
        return configuration
      }
    }
  #endif
#endif
