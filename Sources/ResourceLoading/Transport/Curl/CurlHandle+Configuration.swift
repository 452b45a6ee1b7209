#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Foundation

  // The options that are equal for all exchanges of a transport.

  extension CurlHandle {
    /// - Throws: `LoadError` if libcurl can't do what the configuration wants.
    func apply(_ configuration: CurlTransport.Configuration) throws(LoadError) {
      guard configuration.addresses.isAny || configuration.proxy == nil else {
        throw .addressesBehindProxy
      }
      try setBasics()
      try set(configuration.proxy)
      try set(configuration.tls)
      // libcurl's default is five minutes.
      let longest = Int(Int32.max)
      let timeout = configuration.connectTimeout.map { min(max($0.milliseconds, 1), longest) }
      try set(CURLOPT_CONNECTTIMEOUT_MS, timeout ?? longest)
      try set(CURLOPT_UNIX_SOCKET_PATH, configuration.unixSocketPath)
    }

    /// - Throws: `LoadError` if libcurl refuses an option.
    private func setBasics() throws(LoadError) {
      try setSchemes()
      try set(CURLOPT_NOSIGNAL, true)
      try set(CURLOPT_PATH_AS_IS, true)
      try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
      leaveLookups()
      // An event stream may be silent for any time: after three minutes a server that is gone is noticed all the same, and
      // routers don't forget the connection.
      try set(CURLOPT_TCP_KEEPALIVE, true)
      try set(CURLOPT_TCP_KEEPIDLE, 45)
      try set(CURLOPT_TCP_KEEPINTVL, 15)
      // `ContentDecoder` decodes bodies.
      try set(CURLOPT_HTTP_CONTENT_DECODING, false)
      // libcurl reads no more at once, and with less it reads too often.
      try set(CURLOPT_BUFFERSIZE, 64 << 10)
    }

    /// Some servers refuse requests without a `User-Agent`.
    static let userAgent =
      "swift-resource-loading " + String(cString: curl_version()).prefix { $0 != " " }

    /// - Throws: `LoadError` if libcurl refuses an option.
    private func set(_ proxy: ProxyServer?) throws(LoadError) {
      // For the proxy itself, which doesn't get the headers of requests through a tunnel.
      if proxy != nil { try set(CURLOPT_USERAGENT, Self.userAgent) }
      // An empty text keeps libcurl from asking the environment.
      try set(CURLOPT_PROXY, proxy?.url.absoluteString ?? "")
      try set(CURLOPT_NOPROXY, proxy?.exceptions.joined(separator: ",") ?? "")
    }
  }

  // MARK: - TLS

  extension CurlHandle {
    /// - Throws: `LoadError` if libcurl refuses an option, or a file can't be read.
    private func set(_ tls: TLSOptions) throws(LoadError) {
      let version =
        switch tls.minimumVersion {
        case .tls12: CURL_SSLVERSION_TLSv1_2
        case .tls13: CURL_SSLVERSION_TLSv1_3
        }
      try set(CURLOPT_SSLVERSION, Int(version))
      try set(CURLOPT_PROXY_SSLVERSION, Int(version))
      if let certificate = tls.clientCertificate {
        switch certificate.content {
        case .pem(let certificate, let privateKey):
          try set(certificate, CURLOPT_SSLCERT, CURLOPT_SSLCERT_BLOB)
          try set(privateKey, CURLOPT_SSLKEY, CURLOPT_SSLKEY_BLOB)
        case .pkcs12(let data):
          try set(CURLOPT_SSLCERTTYPE, "P12")
          try set(CURLOPT_SSLCERT_BLOB, blob: Array(data))
        }
        try set(CURLOPT_KEYPASSWD, certificate.passphrase)
      }
      try setAuthorities(tls)
    }

    /// - Throws: `LoadError` if libcurl refuses the option.
    private func set(
      _ source: TLSOptions.PEM, _ file: CURLoption, _ blob: CURLoption
    ) throws(LoadError) {
      switch source {
      case .file(let url): try set(file, url.path)
      case .data(let data): try set(blob, blob: Array(data))
      }
    }

    /// Sets the public keys that a server may have now.
    ///
    /// - Throws: `LoadError` if libcurl refuses the option.
    func set(_ pins: TLSOptions.PublicKeyPins?) throws(LoadError) {
      let keys = pins?.keys(at: Date())?.map { "sha256//\($0)" }
      try set(CURLOPT_PINNEDPUBLICKEY, keys?.joined(separator: ";"))
    }

    /// - Throws: `LoadError` if libcurl refuses an option, or a file can't be read.
    private func setAuthorities(_ tls: TLSOptions) throws(LoadError) {
      guard !tls.trustsSystem || !tls.additionalAuthorities.isEmpty else { return }
      var trusted: [UInt8] = []
      for authority in tls.additionalAuthorities { trusted += try authority.text + [0x0A] }
      let system = SystemAuthorities()
      if !tls.trustsSystem {
        try set(CURLOPT_CAPATH, nil as String?)
      } else if let directory = system.directory {
        try set(CURLOPT_CAPATH, directory)
      } else if let bundle = system.bundle {
        trusted += bundle
      }
      if trusted.isEmpty {
        try set(CURLOPT_CAINFO, nil as String?)
      } else {
        try set(CURLOPT_CAINFO_BLOB, blob: trusted)
      }
    }
  }

  /// The location of the system's certificate authorities.
  private struct SystemAuthorities {
    let directory: String?
    let bundle: Data?

    init() {
      directory = resource_curl_authority_directory().map { String(cString: $0) }
      let file = resource_curl_authority_file().map { String(cString: $0) }
      bundle = file.flatMap { FileManager.default.contents(atPath: $0) }
    }
  }

  extension LoadError {
    /// Creates the error for an option that libcurl refuses.
    init(setting code: CURLcode) {
      self.init(
        .invalidRequest, "libcurl can't do what the transport's configuration wants",
        advice: "Install a libcurl with this feature",
        underlying: CurlTransport.Failure(
          code: Int(code.rawValue), description: String(cString: curl_easy_strerror(code))))
    }
  }

  extension Duration {
    fileprivate var milliseconds: Int {
      let (seconds, attoseconds) = components
      guard seconds < Int64(Int32.max) else { return Int(Int32.max) }
      return Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
  }
#endif
