#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Foundation

  // The options that change with each exchange. All of them are set each time, so that nothing of the one
  // before is left.

  extension CurlHandle {
    /// - Parameters:
    ///   - request: What to send.
    ///   - version: Which versions of HTTP may be spoken.
    ///   - fields: The header list that the handle uses; it is freed and replaced.
    /// - Throws: `LoadError` if libcurl can't do what the request wants.
    func apply(
      _ request: WireRequest, _ version: CurlTransport.HTTPVersion,
      _ fields: inout UnsafeMutablePointer<curl_slist>?
    ) throws(LoadError) {
      let url = request.url.absoluteString
      try set(CURLOPT_URL, url)
      let maySpeakHTTP2 = version == .automatic && url.hasPrefix("https:")
      try setVersion(maySpeakHTTP2)
      if maySpeakHTTP2 {
        try set(CURLOPT_STREAM_WEIGHT, (request.priority ?? .standard).weight)
      }
      try set(request.method, bodySize: request.bodySize)
      let list = Self.list(request)
      try set(CURLOPT_HTTPHEADER, list.map { UnsafeMutableRawPointer($0) })
      curl_slist_free_all(fields)
      fields = list
    }

    private func setVersion(_ maySpeakHTTP2: Bool) throws(LoadError) {
      let version = maySpeakHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
      try set(CURLOPT_HTTP_VERSION, Int(version))
      // Waits for a connection under way that can be shared, rather than opening one more. Without TLS it
      // would wait for the answer to the request before.
      try set(CURLOPT_PIPEWAIT, maySpeakHTTP2)
    }

    private func set(_ method: Request.Method, bodySize: Int?) throws(LoadError) {
      // Takes back whatever the options below set before.
      try set(CURLOPT_HTTPGET, true)
      if method == .head { try set(CURLOPT_NOBODY, true) }
      if let bodySize {
        try set(CURLOPT_UPLOAD, true)
        try set(CURLOPT_INFILESIZE_LARGE, bytes: bodySize)
      }
      let isImplied = bodySize == nil ? [.get, .head].contains(method) : method == .put
      try set(CURLOPT_CUSTOMREQUEST, isImplied ? nil : method.rawValue)
    }
  }

  // MARK: - Headers

  extension CurlHandle {
    private static func list(_ request: WireRequest) -> UnsafeMutablePointer<curl_slist>? {
      var list: UnsafeMutablePointer<curl_slist>?
      var hasCoding = request.headers.contains { $0.name == .range }
      var (expects, hasUserAgent) = (false, false)
      for field in request.headers {
        switch field.name {
        // A proxy gets its credentials from the configuration; to a server they would be told.
        case .contentLength, .transferEncoding, "Proxy-Authorization": continue
        case .acceptEncoding: hasCoding = true
        case .expect: expects = true
        case .userAgent: hasUserAgent = true
        default: break
        }
        list = curl_slist_append(list, field.line)
      }
      // By its own option it would be put together letter by letter once more.
      if !hasUserAgent { list = curl_slist_append(list, userAgentLine) }
      if !hasCoding { list = curl_slist_append(list, "Accept-Encoding: gzip, deflate") }
      // libcurl would wait for a 100 before it sends a large body.
      if !expects, request.bodySize != nil { list = curl_slist_append(list, "Expect:") }
      return list
    }
  }

  extension CurlHandle {
    private static let userAgentLine = "User-Agent: \(userAgent)"
  }

  extension Request.Priority {
    /// The weight of a stream in HTTP/2, from 1 to 256; 16 is the default (RFC 7540 section 5.3.5).
    fileprivate var weight: Int {
      switch self {
      case .low: 1
      case .standard: 16
      case .high: 256
      }
    }
  }

  extension Headers.Field {
    /// In libcurl's spelling, where a colon without a value would take the field out.
    fileprivate var line: String {
      value.isEmpty ? "\(name.rawValue);" : "\(name.rawValue): \(value)"
    }
  }

  extension WireRequest {
    /// In bytes; `nil` if no length is to be sent (RFC 9110 section 8.6).
    fileprivate var bodySize: Int? {
      if let body { return body.length }
      return [.post, .put, .patch].contains(method) ? 0 : nil
    }
  }
#endif
