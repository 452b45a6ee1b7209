import ResourcePrimitives

#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Foundation

  /// A handle of libcurl. Each call has the type of argument that libcurl documents for its option;
  /// another one would be undefined.
  @safe struct CurlHandle {
    /// libcurl's handle, which is valid as long as the ``CurlTransfer`` that has created it.
    let easy: UnsafeMutableRawPointer

    @unsafe
    init(_ easy: UnsafeMutableRawPointer) { unsafe self.easy = easy }

    func set(_ option: CURLoption, _ value: Int) throws(LoadError) {
      try unsafe check(resource_curl_set_long(easy, option, value), option)
    }

    func set(_ option: CURLoption, _ value: Bool) throws(LoadError) {
      try set(option, value ? 1 : 0)
    }

    /// Sets a string, which libcurl copies; `nil` resets the option.
    func set(_ option: CURLoption, _ value: String?) throws(LoadError) {
      guard value?.utf8.contains(0) != true else {
        throw LoadError(setting: CURLE_BAD_FUNCTION_ARGUMENT, option, "it holds a zero byte")
      }
      let code =
        unsafe value?.withCString { unsafe resource_curl_set_string(easy, option, $0) }
        ?? resource_curl_set_string(easy, option, nil)
      try check(code, option)
    }

    func set(_ option: CURLoption, bytes value: Int) throws(LoadError) {
      try unsafe check(resource_curl_set_offset(easy, option, Int64(value)), option)
    }

    /// Sets a pointer, which libcurl keeps.
    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) throws(LoadError) {
      try unsafe check(resource_curl_set_pointer(easy, option, value), option)
    }

    /// Sets bytes, which libcurl copies.
    func set(_ option: CURLoption, blob value: [UInt8]) throws(LoadError) {
      try unsafe check(resource_curl_set_blob(easy, option, value, value.count), option)
    }

    /// Fails if libcurl doesn't have an option, because less might be checked without it than the
    /// configuration demands.
    func check(_ code: CURLcode, _ option: CURLoption) throws(LoadError) {
      guard code == CURLE_OK else { throw LoadError(setting: code, option) }
    }
  }

  extension CurlHandle {
    func long(_ info: CURLINFO) -> Int { unsafe resource_curl_get_long(easy, info) }

    func offset(_ info: CURLINFO) -> Int64 { unsafe resource_curl_get_offset(easy, info) }

    func text(_ info: CURLINFO) -> String? {
      unsafe resource_curl_get_text(easy, info).map { unsafe String(cString: $0) }
    }
  }

  extension CurlHandle {
    func apply(_ configuration: CurlTransport.Configuration) throws(LoadError) {
      try configuration.check()
      try setBasics()
      try set(configuration.proxy)
      try set(configuration.tls)
      // libcurl's default is five minutes.
      let timeout = configuration.connectTimeout.map { max($0.milliseconds, 1) }
      try set(CURLOPT_CONNECTTIMEOUT_MS, timeout ?? Int(Int32.max))
      try set(CURLOPT_UNIX_SOCKET_PATH, configuration.unixSocketPath)
    }

    private func setBasics() throws(LoadError) {
      try unsafe check(resource_curl_allow_http(easy), CURLOPT_PROTOCOLS)
      try set(CURLOPT_NOSIGNAL, true)
      try set(CURLOPT_PATH_AS_IS, true)
      try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
      // A transfer that ends abandons the lookup of its host's name. Otherwise the engine, and so
      // all other transfers, would wait for it as long as the system asks silent name servers. A
      // libcurl before 7.87 waits.
      let code = unsafe resource_curl_leave_lookups(easy)
      if code != CURLE_UNKNOWN_OPTION { try check(code, CURLOPT_QUICK_EXIT) }
      // An event stream may be silent for any time. This detects after three minutes that a server
      // is gone, and keeps routers from forgetting the connection.
      try set(CURLOPT_TCP_KEEPALIVE, true)
      try set(CURLOPT_TCP_KEEPIDLE, 45)
      try set(CURLOPT_TCP_KEEPINTVL, 15)
      // `ContentDecoder` decodes bodies.
      try set(CURLOPT_HTTP_CONTENT_DECODING, false)
    }

    /// Some servers refuse requests without a `User-Agent`.
    static let userAgent =
      unsafe "swift-resource-loading " + String(cString: curl_version()).prefix { $0 != " " }

    private func set(_ proxy: ProxyServer?) throws(LoadError) {
      // For the proxy itself, which doesn't get the headers of requests through a tunnel.
      if proxy != nil { try set(CURLOPT_USERAGENT, Self.userAgent) }
      // An empty text keeps libcurl from asking the environment.
      try set(CURLOPT_PROXY, proxy?.url.absoluteString ?? "")
      try set(CURLOPT_NOPROXY, proxy?.exceptions.joined(separator: ",") ?? "")
    }
  }

  extension CurlHandle {
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

    private func set(
      _ source: TLSOptions.PEM, _ file: CURLoption, _ blob: CURLoption
    ) throws(LoadError) {
      switch source {
      case .file(let url): try set(file, url.path)
      case .data(let data): try set(blob, blob: Array(data))
      }
    }

    /// Sets the public keys that a server may have now.
    func set(_ pins: TLSOptions.PublicKeyPins?) throws(LoadError) {
      let keys = pins?.keys(at: Date())?.map { "sha256//\($0)" }
      try set(CURLOPT_PINNEDPUBLICKEY, keys?.joined(separator: ";"))
    }

    private func setAuthorities(_ tls: TLSOptions) throws(LoadError) {
      guard !tls.trustsSystem || !tls.additionalAuthorities.isEmpty else { return }
      var trusted: [UInt8] = []
      for authority in tls.additionalAuthorities { trusted += try authority.text + [0x0A] }
      var directory: String?
      if tls.trustsSystem {
        directory = unsafe resource_curl_authority_directory().map { unsafe String(cString: $0) }
        if directory == nil, let file = unsafe resource_curl_authority_file() {
          trusted += unsafe FileManager.default.contents(atPath: String(cString: file)) ?? Data()
        }
      }
      // A proxy with TLS is trusted by the same authorities.
      let options = [
        (CURLOPT_CAPATH, CURLOPT_CAINFO, CURLOPT_CAINFO_BLOB),
        (CURLOPT_PROXY_CAPATH, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAINFO_BLOB),
      ]
      for (path, file, blob) in options {
        try set(path, directory)
        if trusted.isEmpty {
          try set(file, nil as String?)
        } else {
          try set(blob, blob: trusted)
        }
      }
    }
  }

  extension Duration {
    /// The duration in milliseconds, at most the longest one that libcurl takes.
    fileprivate var milliseconds: Int {
      let (seconds, attoseconds) = countable.components
      guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
      return Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
  }
#endif
