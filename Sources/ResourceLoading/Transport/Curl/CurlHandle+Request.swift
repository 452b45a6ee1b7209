#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Foundation

  // The options that change with each exchange. All of them are set each time, so that nothing of
  // the previous one is left.

  extension CurlHandle {
    /// Sets the options of a request. `fields` is the header list that the handle uses; it is freed
    /// and replaced.
    func apply(
      _ request: WireRequest, _ version: CurlTransport.HTTPVersion,
      _ fields: inout UnsafeMutablePointer<curl_slist>?
    ) throws(LoadError) {
      let url = request.url.absoluteString
      try set(CURLOPT_URL, url)
      let maySpeakHTTP2 =
        version == .automatic && url.hasPrefix("https:") && !request.switchesProtocols
      try setVersion(maySpeakHTTP2)
      if maySpeakHTTP2 {
        try set(CURLOPT_STREAM_WEIGHT, (request.priority ?? .standard).weight)
      }
      try set(request.method, bodySize: request.bodySize)
      // A proxy only passes on what it knows, unless there is a tunnel.
      try set(CURLOPT_HTTPPROXYTUNNEL, request.switchesProtocols)
      // What is sent after the head, as it is, is a body without a length for libcurl.
      if request.switchesProtocols {
        try set(CURLOPT_UPLOAD, true)
        try set(CURLOPT_INFILESIZE_LARGE, bytes: -1)
        try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
      }
      // The old list is freed when libcurl has the new one.
      let list = try unsafe Self.list(request)
      do {
        try unsafe set(CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(list))
      } catch {
        unsafe curl_slist_free_all(list)
        throw error
      }
      unsafe curl_slist_free_all(fields)
      unsafe fields = list
    }

    private func setVersion(_ maySpeakHTTP2: Bool) throws(LoadError) {
      let version = maySpeakHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
      try set(CURLOPT_HTTP_VERSION, Int(version))
      // Waits for a connection that is being established and can be shared, instead of opening
      // another one. Without TLS it would wait for the response to the previous request.
      try set(CURLOPT_PIPEWAIT, maySpeakHTTP2)
      // libcurl reads no more at once, and with less it reads too often. Over HTTP/2 libcurl 7.88
      // never delivers a head that doesn't fit, up to the 128 KB that it takes.
      try set(CURLOPT_BUFFERSIZE, maySpeakHTTP2 ? 144 << 10 : 64 << 10)
    }

    private func set(_ method: Request.Method, bodySize: Int?) throws(LoadError) {
      // Resets what the options below set before.
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

  extension CurlHandle {
    private static func list(
      _ request: WireRequest
    ) throws(LoadError) -> UnsafeMutablePointer<curl_slist>? {
      var list: UnsafeMutablePointer<curl_slist>?
      var isWhole = true
      // libcurl copies the line.
      let append = { (line: String) in
        let longer = unsafe line.withCString { unsafe curl_slist_append(list, $0) }
        if let longer = unsafe longer { unsafe list = longer } else { isWhole = false }
      }
      var hasCoding = request.headers.contains { $0.name == .range }
      var (expects, hasUserAgent) = (false, false)
      for field in request.headers {
        switch field.name {
        // A proxy gets its credentials from the configuration; as a header they would reach the
        // server.
        case .contentLength, .transferEncoding, "Proxy-Authorization": continue
        case .acceptEncoding: hasCoding = true
        case .expect: expects = true
        case .userAgent: hasUserAgent = true
        default: break
        }
        append(field.line)
      }
      // libcurl's own option would format it differently.
      if !hasUserAgent { append(userAgentLine) }
      if !hasCoding, !request.switchesProtocols { append(ContentDecoder.acceptEncodingLine) }
      // libcurl would wait for a 100 before it sends a large body.
      if !expects, request.bodySize != nil || request.switchesProtocols { append("Expect:") }
      // libcurl would send chunks.
      if request.switchesProtocols { append("Transfer-Encoding:") }
      guard isWhole else {
        unsafe curl_slist_free_all(list)
        throw .curlOutOfMemory
      }
      return unsafe list
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
    /// The field as libcurl expects it, where a colon without a value would remove the field.
    fileprivate var line: String {
      value.isEmpty ? "\(name.rawValue);" : "\(name.rawValue): \(value)"
    }
  }

  extension WireRequest {
    /// The number of bytes; `nil` if no length is sent (RFC 9110 section 8.6).
    fileprivate var bodySize: Int? {
      if let body { return body.length }
      return [.post, .put, .patch, .query].contains(method) ? 0 : nil
    }
  }
#endif
