#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Foundation
  import Synchronization

  /// One handle of libcurl, which is used for one exchange after another.
  final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    /// Its index in the pool.
    let index: Int
    private(set) var exchange: CurlExchange?
    /// The error for which it was ended here and not by libcurl.
    private var failure: LoadError?
    private var head = ResponseHeadReader()
    /// Whether the body is coded.
    private var isCoded = false
    private var upload = CurlUpload()
    private let sockets: CurlSockets
    private let isBusy: (Int32) -> Bool
    private let addresses: CurlTransport.AddressPolicy
    private let pins: TLSOptions.PublicKeyPins?
    /// The sockets that were opened for it: several if a host has several addresses, of which one is connected in the end.
    private var opened: [Int32] = []
    /// The local port of the connection on which the request is sent.
    private var port: Int32 = 0
    /// Whether the request has to be started again on a new connection, because nothing was sent.
    private var wantsFreshConnection = false
    /// Whether an address was refused.
    private var wasRefused = false
    /// The reason, if the system had no descriptor for a socket.
    private var lack: Int32?
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let version: CurlTransport.HTTPVersion
    private let errorText: UnsafeMutableBufferPointer<CChar>
    /// How often libcurl began to send the request: more than once if a reused connection was closed.
    private var sendings = 0
    private(set) var began = ContinuousClock.now

    /// - Throws: `LoadError` if libcurl can't do what the configuration wants.
    init(
      _ index: Int, _ configuration: CurlTransport.Configuration, _ shared: CurlPool.Shared
    ) throws(LoadError) {
      guard let easy = curl_easy_init() else { throw .curlUnavailable }
      self.easy = easy
      self.index = index
      version = configuration.httpVersion
      addresses = configuration.addresses
      pins = configuration.tls.pins
      (sockets, isBusy) = (shared.sockets, shared.isBusy)
      errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
      errorText.initialize(repeating: 0)
      let handle = CurlHandle(easy)
      try handle.set(CURLOPT_SHARE, shared.share)
      try handle.set(CURLOPT_ERRORBUFFER, errorText.baseAddress)
      try handle.set(callbacksOf: self, sockets)
      try handle.apply(configuration)
    }

    deinit {
      curl_easy_cleanup(easy)
      curl_slist_free_all(fields)
      errorText.deallocate()
    }

    /// Returns the transfer of a handle.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
      resource_curl_get_private(easy).map {
        Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue()
      }
    }
  }

  // MARK: - From exchange to exchange

  extension CurlTransfer {
    /// Prepares the handle for an exchange.
    ///
    /// - Throws: `LoadError` if libcurl can't do what the request wants.
    func prepare(_ exchange: CurlExchange) throws(LoadError) {
      self.exchange = exchange
      exchange.index.store(index, ordering: .relaxed)
      upload = CurlUpload(exchange.request.body)
      head = ResponseHeadReader(for: exchange.request.method)
      began = .now
      let handle = CurlHandle(easy)
      try handle.apply(exchange.request, version, &fields)
      try handle.set(pins)
      try handle.set(CURLOPT_FRESH_CONNECT, false)
    }

    /// Prepares the handle for a repetition, if the connection turned out to be closed before anything was sent.
    ///
    /// - Parameter code: The result of libcurl.
    /// - Returns: Whether the exchange has to be repeated.
    func beginsAnew(after code: CURLcode) -> Bool {
      guard wantsFreshConnection, code == CURLE_ABORTED_BY_CALLBACK else { return false }
      wantsFreshConnection = false
      upload.rewind()
      return (try? CurlHandle(easy).set(CURLOPT_FRESH_CONNECT, true)) != nil
    }

    /// Releases the exchange; the handle keeps its options.
    func clear() {
      exchange?.index.store(-1, ordering: .relaxed)
      exchange = nil
      failure = nil
      head = ResponseHeadReader()
      isCoded = false
      upload = CurlUpload()
      opened = []
      (wantsFreshConnection, wasRefused) = (false, false)
      lack = nil
      sendings = 0
      errorText[0] = 0
    }

    /// Continues a paused body.
    ///
    /// - Returns: The reason if it can't continue.
    func resume() -> CURLcode { curl_easy_pause(easy, CURLPAUSE_CONT) }

    /// Returns the error of a transfer that has ended; `nil` after a success.
    func outcome(_ code: CURLcode) -> LoadError? {
      if let failure { return failure }
      guard code == CURLE_OK || isAnswered(before: code) else { return meaning(of: code) }
      // libcurl takes a truncated head for complete.
      return head.isComplete ? nil : .endedInsideHead
    }

    /// Returns whether the response was complete when the connection broke while the request was still being sent: a server may
    /// close it before it has read everything (RFC 9112 section 9.3).
    private func isAnswered(before code: CURLcode) -> Bool {
      guard [CURLE_SEND_ERROR, CURLE_RECV_ERROR].contains(code), head.isComplete else {
        return false
      }
      let length = resource_curl_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
      return resource_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T) < upload.length && length >= 0
        && length == resource_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
    }

    /// Returns the error of a transfer that failed.
    ///
    /// If a reused connection was closed before a response arrived, libcurl makes a new one. If that fails, the failure says
    /// that nothing was sent, although the server may have processed the request.
    private func meaning(of code: CURLcode) -> LoadError {
      let error = failure(of: code)
      return sendings > 0 && error.isUnsent ? .lostBeforeAnswer : error
    }

    private func failure(of code: CURLcode) -> LoadError {
      if wasRefused { return .refusedAddress }
      if let lack, code == CURLE_COULDNT_CONNECT { return .noDescriptor(code, lack) }
      if !head.isComplete, code.saysTooLarge { return .headLineTooLong }
      let status = resource_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE)
      if status >= 300 { return LoadError(curl: CURLE_PROXY, text(of: code), verification: 0) }
      let verification = resource_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT)
      return LoadError(curl: code, text(of: code), verification: verification)
    }

    private func text(of code: CURLcode) -> String {
      guard let start = errorText.baseAddress, start.pointee != 0 else {
        return String(cString: curl_easy_strerror(code))
      }
      return String(cString: start)
    }
  }

  // MARK: - What libcurl tells and asks

  extension CurlTransfer {
    /// - Returns: Whether to continue.
    func receive(line: UnsafeRawBufferPointer) -> Bool {
      guard let exchange, exchange.isRunning else { return false }
      do throws(LoadError) {
        guard var head = try head.read(line) else { return true }
        sockets.note(port: port, speaksHTTP1: self.head.speaksHTTP1)
        isCoded = try exchange.begin(&head)
        exchange.receiver.received(head)
        return true
      } catch {
        failure = error
        return false
      }
    }

    /// - Returns: Whether to continue; `nil` if the same bytes have to be delivered again later.
    func receive(body: UnsafeRawBufferPointer) -> Bool? {
      guard let exchange, exchange.isRunning else { return false }
      guard !isCoded else { return exchange.decode(Data(body)) }
      guard !exchange.holds() else { return nil }
      exchange.receiver.received(Data(body))
      return true
    }

    /// - Returns: The number of bytes; `nil` if the body can't be read.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      guard let exchange, !exchange.isCancelled else { return nil }
      do throws(LoadError) {
        let count = try upload.read(into: buffer)
        if count > 0 { exchange.receiver.sent(upload.count, of: upload.length) }
        return count
      } catch {
        failure = error
        return nil
      }
    }

    /// Rewinds the body.
    func rewind() { upload.rewind() }

    /// Decides whether the request may be sent now.
    ///
    /// libcurl sends a request again if a reused connection was closed before a response arrived. One that isn't idempotent
    /// may have been processed by then.
    ///
    /// - Parameter port: The local port of its connection.
    /// - Returns: Whether to continue.
    func begin(port: Int32) -> Bool {
      self.port = port
      guard mayUse(port) else {
        wantsFreshConnection = true
        return false
      }
      sendings += 1
      guard sendings > 1, exchange?.request.isRepeatable != true else { return true }
      failure = .lostBeforeAnswer
      return false
    }

    private func mayUse(_ port: Int32) -> Bool {
      guard resource_curl_get_long(easy, CURLINFO_NUM_CONNECTS) > 0 else {
        return sockets.isSilent(port: port, isBusy: isBusy)
      }
      let connected = opened.last { resource_curl_local_port($0) == port } ?? opened.last
      if let connected { sockets.add(connected, port: port) }
      return true
    }

    /// Opens a socket.
    ///
    /// - Parameter address: The address to connect to; `nil` for none.
    /// - Returns: Whether the address is allowed.
    func mayConnect(to address: IPAddress?) -> Bool {
      guard let address, !addresses.allows(address) else { return true }
      wasRefused = true
      return false
    }

    func note(opened socket: Int32) { opened.append(socket) }

    /// - Parameter reason: The error of the system, which had no socket.
    func openedNothing(_ reason: Int32) {
      if [EMFILE, ENFILE].contains(reason) { lack = reason }
    }
  }

  extension CURLcode {
    /// The results for a line that is longer than libcurl allows: out of memory, or since 8.6 a code of its own.
    fileprivate var saysTooLarge: Bool { self == CURLE_OUT_OF_MEMORY || rawValue == 100 }
  }

  extension LoadError {
    static let curlUnavailable = LoadError(.connection, "libcurl has no memory left")

    fileprivate static let endedInsideHead = LoadError(
      .connection, "the connection was closed inside the headers")

    fileprivate static let lostBeforeAnswer = LoadError(
      .connection, "the server closed the connection without an answer")

    fileprivate static func noDescriptor(_ code: CURLcode, _ reason: Int32) -> LoadError {
      let text = String(cString: strerror(reason))
      return LoadError(
        .connection, "the system has no socket for the connection (\(text))",
        advice: "Raise the process's limit of descriptors (ulimit -n), or lower the client's"
          + " maximumRequestsPerHost",
        underlying: CurlTransport.Failure(code: Int(code.rawValue), description: text))
    }

    fileprivate static let headLineTooLong = LoadError(
      .tooLarge, "one of the headers is longer than libcurl takes")
  }
#endif

#if Curl && canImport(CResourceCurl)
  import CResourceCurl

  extension CurlTransfer {
    /// The metrics; `nil` if the receiver doesn't use them.
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

    /// The time since the beginning; `nil` if the step wasn't reached.
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
