#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc

  /// A TLS connection by libcurl to a server that doesn't speak HTTP, for one thread. Its calls
  /// block. The thread must have blocked `SIGPIPE`.
  @safe package final class TLSConnection {
    private let handle: CurlHandle
    /// libcurl writes to it; it is freed in `deinit`.
    private let errorText: UnsafeMutableBufferPointer<CChar>

    /// Connects, and verifies the server's certificate.
    ///
    /// - Parameters:
    ///   - host: The host's name or address.
    ///   - port: The TCP port.
    ///   - options: The trusted authorities and the client's certificate.
    ///   - limit: The maximum time for that.
    package init(
      host: String, port: Int, _ options: TLSOptions, within limit: Duration
    ) throws(LoadError) {
      guard CurlLibrary.isReady else { throw .curlUnavailable }
      guard let easy = unsafe curl_easy_init() else { throw .curlOutOfMemory }
      handle = unsafe CurlHandle(easy)
      unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
      unsafe errorText.initialize(repeating: 0)
      try unsafe handle.set(CURLOPT_ERRORBUFFER, errorText.baseAddress)
      try connect("https://\(host.contains(":") ? "[\(host)]" : host):\(port)/", options, limit)
    }

    deinit {
      unsafe curl_easy_cleanup(handle.easy)
      unsafe errorText.deallocate()
    }
  }

  extension TLSConnection {
    /// Sends bytes.
    package func send(
      _ bytes: [UInt8], before end: ContinuousClock.Instant
    ) throws(LoadError) {
      var sent = 0
      while sent < bytes.count {
        var count = 0
        let code = unsafe bytes.withUnsafeBytes { bytes in
          let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
          return unsafe curl_easy_send(handle.easy, rest.baseAddress, rest.count, &count)
        }
        switch code {
        case CURLE_OK: sent += count
        case CURLE_AGAIN: try wait(for: POLLOUT, before: end)
        default: throw failure(code)
        }
      }
    }

    /// Waits for bytes, and replaces the beginning of a buffer with them.
    ///
    /// - Returns: Their number; zero if the server has closed the connection.
    package func receive(
      into buffer: inout [UInt8], before end: ContinuousClock.Instant
    ) throws(LoadError) -> Int {
      while true {
        var count = 0
        let code = unsafe buffer.withUnsafeMutableBytes { bytes in
          unsafe curl_easy_recv(handle.easy, bytes.baseAddress, bytes.count, &count)
        }
        switch code {
        case CURLE_OK: return count
        // Only then does TLS hold no decrypted bytes, which the socket doesn't show.
        case CURLE_AGAIN: try wait(for: POLLIN, before: end)
        default: throw failure(code)
        }
      }
    }

    private func connect(
      _ url: String, _ options: TLSOptions, _ limit: Duration
    ) throws(LoadError) {
      var configuration = CurlTransport.Configuration()
      configuration.tls = options
      configuration.connectTimeout = limit
      try handle.apply(configuration)
      try handle.set(options.pins)
      try handle.set(CURLOPT_URL, url)
      try handle.set(CURLOPT_CONNECT_ONLY, true)
      try handle.set(CURLOPT_SSL_ENABLE_ALPN, false)
      let code = unsafe curl_easy_perform(handle.easy)
      guard code == CURLE_OK else { throw failure(code) }
    }

    private func wait(
      for event: Int32, before end: ContinuousClock.Instant
    ) throws(LoadError) {
      let time = end - .now
      guard time > .zero else { throw LoadError(.timedOut, "it doesn't respond in time") }
      var request = pollfd(
        fd: unsafe resource_curl_socket(handle.easy), events: Int16(event), revents: 0)
      _ = unsafe poll(&request, 1, Int32(min(time, .seconds(60)) / .milliseconds(1)) + 1)
    }

    private func failure(_ code: CURLcode) -> LoadError {
      let text = unsafe errorText.baseAddress.map { unsafe String(cString: $0) } ?? ""
      return LoadError(
        curl: code, text.isEmpty ? nil : text,
        verification: handle.long(CURLINFO_SSL_VERIFYRESULT))
    }
  }
#endif
