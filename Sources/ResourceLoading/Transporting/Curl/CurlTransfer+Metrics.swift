#if Curl && canImport(CResourceCurl)
  import CResourceCurl

  extension CurlTransfer {
    /// How long the steps took; `nil` if nobody wants to know.
    var metrics: ExchangeMetrics? {
      guard let exchange, exchange.isRunning, exchange.receiver.wantsMetrics else { return nil }
      return metrics(of: exchange)
    }

    private func metrics(of exchange: CurlExchange) -> ExchangeMetrics {
      let wait = exchange.submitted.duration(to: began)
      let isReused = resource_curl_get_long(easy, CURLINFO_NUM_CONNECTS) == 0
      var metrics = ExchangeMetrics(ended: wait + (time(CURLINFO_TOTAL_TIME_T) ?? .zero))
      metrics.began = wait
      if !isReused {
        metrics.nameLookedUp = time(CURLINFO_NAMELOOKUP_TIME_T).map { wait + $0 }
        metrics.connected = time(CURLINFO_CONNECT_TIME_T).map { wait + $0 }
        metrics.secured = time(CURLINFO_APPCONNECT_TIME_T).map { wait + $0 }
      }
      metrics.firstByte = time(CURLINFO_STARTTRANSFER_TIME_T).map { wait + $0 }
      metrics.bytesSent = Int(resource_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T))
      metrics.bytesReceived = Int(resource_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T))
      metrics.isConnectionReused = isReused
      metrics.httpVersion = version(resource_curl_get_long(easy, CURLINFO_HTTP_VERSION))
      return metrics
    }

    /// Since it began; `nil` if it didn't come to that.
    private func time(_ info: CURLINFO) -> Duration? {
      let microseconds = resource_curl_get_offset(easy, info)
      return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    private func version(_ code: Int) -> String? {
      switch code {
      case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
      case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
      case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
      case Int(CURL_HTTP_VERSION_3): "HTTP/3"
      default: nil
      }
    }
  }
#endif
