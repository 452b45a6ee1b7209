#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Foundation
  import ResourcePrimitives

  /// One handle of libcurl, which is used for one exchange after another.
  @safe final class CurlTransfer {
    let handle: CurlHandle
    private(set) var exchange: CurlExchange?
    private var state = State()
    private var began = ContinuousClock.now
    private let configuration: CurlTransport.Configuration
    private let sockets: CurlSockets
    /// The header list that the handle uses; both are freed in `deinit`, like the text, to which
    /// libcurl writes.
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutableBufferPointer<CChar>

    /// What is known of the exchange.
    private struct State {
      var head = ResponseHeadReader()
      /// Whether the body of the response is coded.
      var isCoded = false
      /// Reads the body of the request; `nil` without one.
      var reader: WireBodyReader?
      /// The number of bytes that were read of it.
      var sent = 0
      /// The number of bytes on its connection whose arrival the other side had confirmed by then.
      var confirmed: UInt64 = 0
      /// The sockets that were opened for it: several if a host has several addresses, of which one
      /// is connected in the end.
      var opened: [Int32] = []
      /// The local port of the connection on which the request is sent.
      var port: Int32 = 0
      /// The sockets that its connection may be.
      var sockets: [Int32] = []
      /// When the request was last sent.
      var begun: ContinuousClock.Instant?
      /// Whether its connection speaks HTTP/2.
      var speaksHTTP2 = false
      /// Whether libcurl holds a piece of the body back, and so takes nothing from the connection.
      var isHeld = false
      /// Whether the body has no length, and ends with its HTTP/2 stream.
      var isOpenEnded = false
      /// How often libcurl began to send the request: more than once if a reused connection was
      /// closed.
      var sendings = 0
      /// Whether the request has to be started again on a new connection, because nothing was sent.
      var wantsFreshConnection = false
      /// How often it was started again because libcurl had given up.
      var renewals = 0
      /// Whether an address was left out because the request avoids it.
      var hasAvoided = false
      /// Whether no address is left out, because the host has no others.
      var takesAnyAddress = false
      /// The reason why an address got no socket.
      var unopened: LoadError?
      /// The error for which it was ended here and not by libcurl.
      var failure: LoadError?
    }

    init(
      _ configuration: CurlTransport.Configuration, _ sockets: CurlSockets,
      share: UnsafeMutableRawPointer
    ) throws(LoadError) {
      guard let easy = unsafe curl_easy_init() else { throw .curlOutOfMemory }
      handle = unsafe CurlHandle(easy)
      self.configuration = configuration
      self.sockets = sockets
      unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
      unsafe errorText.initialize(repeating: 0)
      try unsafe handle.set(CURLOPT_SHARE, share)
      try unsafe handle.set(CURLOPT_ERRORBUFFER, errorText.baseAddress)
      try handle.set(callbacksOf: self, sockets)
      try handle.apply(configuration)
    }

    deinit {
      unsafe curl_easy_cleanup(handle.easy)
      unsafe curl_slist_free_all(fields)
      unsafe errorText.deallocate()
    }
  }

  extension CurlTransfer {
    /// Prepares the handle for an exchange.
    func prepare(_ exchange: CurlExchange) throws(LoadError) {
      self.exchange = exchange
      began = .now
      state.head = ResponseHeadReader(for: exchange.request.method)
      rewind()
      try unsafe handle.apply(exchange.request, configuration.httpVersion, &fields)
      try handle.set(configuration.tls.pins)
      // A connection that has switched protocols has no second request.
      try handle.set(CURLOPT_FRESH_CONNECT, exchange.request.switchesProtocols)
      try handle.set(CURLOPT_FORBID_REUSE, exchange.request.switchesProtocols)
    }

    /// Prepares the handle for a repetition if the connection turned out to be closed before
    /// anything was sent, or if libcurl has given up before anything was answered. Returns whether
    /// the exchange has to be repeated.
    func beginsAnew(after code: CURLcode) -> Bool {
      guard
        state.wantsFreshConnection && code == CURLE_ABORTED_BY_CALLBACK || hasGivenUp(code)
          || needsAnyAddress(after: code)
      else { return false }
      state.wantsFreshConnection = false
      rewind()
      return (try? handle.set(CURLOPT_FRESH_CONNECT, true)) != nil
        && (try? handle.set(CURLOPT_FORBID_REUSE, false)) != nil
    }

    private static let maximumRenewals = 3

    /// Returns whether a request that wasn't answered has to be sent once more. Only a repeatable
    /// one may be: libcurl doesn't say whether the server has processed it.
    private func hasGivenUp(_ code: CURLcode) -> Bool {
      guard state.renewals < Self.maximumRenewals, !state.head.hasBegun,
        exchange?.request.isRepeatable == true, wasRefused(code)
      else { return false }
      state.renewals += 1
      return true
    }

    /// Returns whether no address could be connected to, but some were left out.
    private func needsAnyAddress(after code: CURLcode) -> Bool {
      guard code == CURLE_COULDNT_CONNECT, state.hasAvoided, !state.takesAnyAddress else {
        return false
      }
      (state.takesAnyAddress, state.unopened) = (true, nil)
      addressChoice?.noteNoOther()
      return true
    }

    private func wasRefused(_ code: CURLcode) -> Bool {
      switch code {
      // libcurl has tried six connections, all of which the server was closing: it takes those
      // that others have used, so that requests which begin together meet the end of one
      // connection after the other.
      case CURLE_SEND_ERROR: state.sendings > 5 && state.renewals == 0
      // The connection is over, and no request is left on it. libcurl before 8.1 repeats those that
      // a GOAWAY refuses only while others are.
      case CURLE_HTTP2: state.begun != nil
      default: false
      }
    }

    /// Closes the connection with its last stream if the server has been silent on it, because
    /// another request would get no answer either. Called before a transfer is removed that hasn't
    /// ended.
    func giveUp() {
      guard state.speaksHTTP2, let begun = state.begun,
        sockets.connections.suspect(state.port, since: begun)
      else { return }
      try? handle.set(CURLOPT_FORBID_REUSE, true)
    }

    /// Releases the exchange; the handle keeps its options.
    func clear() {
      if state.isOpenEnded { sockets.connections.finishOpenEnd(on: state.port) }
      if state.begun != nil { sockets.connections.end(on: state.port) }
      if let exchange, exchange.request.switchesProtocols {
        sockets.end(exchange, on: state.sockets)
      }
      (exchange, state) = (nil, State())
      unsafe errorText[0] = 0
    }

    /// Continues what is paused, in either direction: a paused body of the response only if its
    /// exchange isn't.
    ///
    /// - Returns: The reason if it can't continue.
    func resume() -> CURLcode {
      let isPaused = exchange?.isPaused ?? false
      // Before the call, in which libcurl may deliver a piece that is held back again.
      if !isPaused { state.isHeld = false }
      return unsafe curl_easy_pause(handle.easy, isPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
    }
  }

  extension CurlTransfer {
    /// Returns how a response has ended that libcurl reports as complete.
    var ending: CurlConnections.Ending {
      state.isOpenEnded ? sockets.connections.ending(on: state.port, state.sockets) : .whole
    }

    /// The trailers of the response.
    var trailers: Headers { state.head.trailers }

    /// Records that the response was cut.
    func cut() { state.failure = .cutStream }

    /// Returns the error of a transfer that has ended; `nil` after a success.
    func outcome(_ code: CURLcode) -> LoadError? {
      if let failure = state.failure { return failure }
      guard code == CURLE_OK || isAnswered(before: code) else { return failure(of: code) }
      // libcurl takes a truncated head for complete.
      return state.head.isComplete ? nil : .endedInsideHead
    }

    /// Whether libcurl takes nothing from the connection, because its exchange was paused.
    var isHeld: Bool { state.isHeld }

    /// The error of a transfer that may switch protocols and whose server has closed the connection;
    /// `nil` if it has answered.
    var closedByServer: LoadError? {
      outcome(state.head.isComplete ? CURLE_OK : CURLE_GOT_NOTHING)
    }

    /// Returns whether the response was complete when the connection broke while the request was
    /// still being sent: a server may close it before it has read everything (RFC 9112 section
    /// 9.3).
    private func isAnswered(before code: CURLcode) -> Bool {
      guard [CURLE_SEND_ERROR, CURLE_RECV_ERROR].contains(code), state.head.isComplete else {
        return false
      }
      let length = handle.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
      return handle.offset(CURLINFO_SIZE_UPLOAD_T) < bodySize && length >= 0
        && length == handle.offset(CURLINFO_SIZE_DOWNLOAD_T)
    }

    /// Returns the error of a transfer that failed.
    ///
    /// If a reused connection was closed before a response arrived, libcurl makes a new one. If
    /// that fails, the failure says that nothing was sent, although the server may have processed
    /// the request.
    private func failure(of code: CURLcode) -> LoadError {
      var failure = meaning(of: code)
      if state.sendings > 0 && failure.isUnsent { failure = .unanswered }
      // As from a server that expects TLS.
      if code == CURLE_GOT_NOTHING, exchange?.request.url.scheme?.lowercased() == "http" {
        failure.advice = failure.advice ?? "Check whether the port expects https"
      }
      return failure
    }

    private static let tellsLinesFromShortage = resource_curl_version() >= 0x08_06_00

    private func meaning(of code: CURLcode) -> LoadError {
      if let unopened = state.unopened, code == CURLE_COULDNT_CONNECT { return unopened }
      // A line that is longer than libcurl allows has a code of its own since 8.6. Before, it was
      // that of missing memory, which can only be true for a response that hasn't begun.
      let isShortage =
        Self.tellsLinesFromShortage || handle.offset(CURLINFO_STARTTRANSFER_TIME_T) == 0
      if !state.head.isComplete, code.rawValue == 100 || code == CURLE_OUT_OF_MEMORY && !isShortage
      {
        return .headLineTooLong
      }
      var text =
        unsafe errorText[0] == 0 ? nil : errorText.baseAddress.map { unsafe String(cString: $0) }
      // It may quote the URL of the proxy.
      if let said = text, let proxy = configuration.proxy {
        let redactor = Redactor(Request(url: proxy.url))
        text = redactor.redact(said, redactor.known)
      }
      if state.speaksHTTP2, isHeadTooLarge(text) { return .headTooLarge }
      if code == CURLE_COULDNT_CONNECT, let path = configuration.unixSocketPath {
        return LoadError(noServerAt: path).explained(by: text ?? "") {
          CurlTransport.Failure(code, $0)
        }
      }
      let proxyStatus = handle.long(CURLINFO_HTTP_CONNECTCODE)
      return LoadError(
        curl: proxyStatus >= 300 ? CURLE_PROXY : code, text,
        verification: handle.long(CURLINFO_SSL_VERIFYRESULT))
    }

    /// Returns whether the head is larger than libcurl takes over HTTP/2: -902 is the code of
    /// nghttp2 for the refusal. It ends the whole connection, so a response beside others may not
    /// be the one.
    private func isHeadTooLarge(_ text: String?) -> Bool {
      !state.head.isComplete && text?.includes("-902:") == true
        && sockets.connections[state.port].map { $0.exchanges <= 1 } ?? true
    }

    /// The metrics; `nil` if the receiver doesn't use them.
    var metrics: ExchangeMetrics? {
      guard let exchange, exchange.isRunning, exchange.receiver.wantsMetrics else { return nil }
      let wait = exchange.submitted.duration(to: began)
      var metrics = ExchangeMetrics(ended: wait + (time(CURLINFO_TOTAL_TIME_T) ?? .zero))
      metrics.began = wait
      metrics.isConnectionReused = handle.long(CURLINFO_NUM_CONNECTS) == 0
      if metrics.isConnectionReused == false {
        metrics.nameLookedUp = time(CURLINFO_NAMELOOKUP_TIME_T).map { wait + $0 }
        metrics.connected = time(CURLINFO_CONNECT_TIME_T).map { wait + $0 }
        metrics.secured = time(CURLINFO_APPCONNECT_TIME_T).map { wait + $0 }
      }
      metrics.firstByte = time(CURLINFO_STARTTRANSFER_TIME_T).map { wait + $0 }
      metrics.bytesSent = Int(handle.offset(CURLINFO_SIZE_UPLOAD_T))
      metrics.bytesReceived = Int(handle.offset(CURLINFO_SIZE_DOWNLOAD_T))
      metrics.httpVersion = httpVersion
      metrics.peer = peer
      return metrics
    }

    /// The time since the beginning; `nil` if the step wasn't reached.
    private func time(_ info: CURLINFO) -> Duration? {
      let microseconds = handle.offset(info)
      return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    private var peer: ExchangeMetrics.Peer? {
      guard let address = handle.text(CURLINFO_PRIMARY_IP) else { return nil }
      let port = handle.long(CURLINFO_PRIMARY_PORT)
      return port > 0 ? ExchangeMetrics.Peer(address: address, port: port) : nil
    }

    private var httpVersion: String? {
      switch handle.long(CURLINFO_HTTP_VERSION) {
      case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
      case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
      case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
      case Int(CURL_HTTP_VERSION_3): "HTTP/3"
      default: nil
      }
    }
  }

  extension CurlTransfer {
    /// - Returns: Whether to continue.
    func receive(line: UnsafeRawBufferPointer) -> Bool {
      guard let exchange, exchange.isRunning else { return false }
      do throws(LoadError) {
        switch try unsafe state.head.read(line) {
        case nil: break
        case .interim(let head): exchange.receiver.received(interim: head)
        case .final(var head):
          reportSent(to: exchange)
          noteOpenEnd(head)
          if exchange.request.switchesProtocols, head.status != .switchingProtocols {
            exchange.endSending()
          }
          state.isCoded =
            head.status == .switchingProtocols ? false : try exchange.begin(&head)
          exchange.receiver.received(head)
        }
        return true
      } catch {
        state.failure = error
        return false
      }
    }

    private func noteOpenEnd(_ head: ResponseHead) {
      guard state.speaksHTTP2, !state.isOpenEnded, head.headers[.contentLength] == nil,
        head.status.hasBody, exchange?.request.method != .head
      else { return }
      state.isOpenEnded = sockets.connections.beginOpenEnd(on: state.port)
    }

    /// - Returns: Whether to continue; `nil` if the same bytes have to be delivered again later.
    func receive(body: UnsafeRawBufferPointer) -> Bool? {
      guard let exchange, exchange.isRunning else { return false }
      if state.isOpenEnded { sockets.connections.noteProgress() }
      guard !state.isCoded else { return unsafe exchange.decode(Data(body)) }
      guard !exchange.holds() else {
        state.isHeld = true
        return nil
      }
      unsafe exchange.receiver.received(Data(body))
      return true
    }

    /// - Returns: The number of bytes; `nil` if the body can't be read.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      guard let exchange, !exchange.isCancelled else { return nil }
      if exchange.request.switchesProtocols {
        let sent = handle.offset(CURLINFO_SIZE_UPLOAD_T)
        return unsafe exchange.takeSent(into: buffer, after: sent) ?? Int(CURL_READFUNC_PAUSE)
      }
      do {
        reportSent(to: exchange)
        let resume = { @Sendable in exchange.resumeSending() }
        switch try state.reader?.next(atMost: buffer.count, whenReady: resume) {
        case .bytes(let chunk):
          state.sent += chunk.count
          state.confirmed = sockets.traffic(port: state.port)?.confirmed ?? 0
          return unsafe chunk.copyBytes(to: buffer)
        case .later: return Int(CURL_READFUNC_PAUSE)
        case .end, nil: return 0
        }
      } catch {
        state.failure = LoadError(sending: error)
        return nil
      }
    }

    /// Reports how much of the request's body has left the process: libcurl reads ahead.
    private func reportSent(to exchange: CurlExchange) {
      guard state.sent > 0 else { return }
      let count = min(state.sent, Int(handle.offset(CURLINFO_SIZE_UPLOAD_T)))
      if count > 0 { exchange.receiver.sent(count, of: bodySize) }
    }

    /// The time since bytes last passed on the connection, in either direction; `nil` if that isn't
    /// known, or if other exchanges share it.
    var idleTime: Duration? {
      guard state.sendings > 0, !state.speaksHTTP2, let traffic = sockets.traffic(port: state.port)
      else { return nil }
      guard state.sent > 0, traffic.confirmed > state.confirmed else { return traffic.sinceData }
      state.confirmed = traffic.confirmed
      return [traffic.sinceData, traffic.sinceConfirmation].compactMap(\.self).min()
    }

    func rewind() { (state.reader, state.sent) = (exchange?.request.body?.makeReader(), 0) }

    private var bodySize: Int { exchange?.request.body?.length ?? 0 }

    /// Decides whether the request may be sent now.
    ///
    /// libcurl sends a request again if a reused connection was closed before a response arrived.
    /// One that isn't idempotent may have been processed by then.
    func begin(port: Int32) -> Bool {
      if state.begun != nil { sockets.connections.end(on: state.port) }
      (state.port, state.begun) = (port, nil)
      state.speaksHTTP2 =
        unsafe resource_tls_speaks_http2(sockets.connections.tls, handle.easy) != 0
      state.head.speaksHTTP2 = state.speaksHTTP2
      guard mayUse(port) else {
        state.wantsFreshConnection = true
        // libcurl would try a connection with HTTP/2 first the next time, too.
        try? handle.set(CURLOPT_FORBID_REUSE, true)
        return false
      }
      if let peerAddress { addressChoice?.note(peerAddress.bytes) }
      state.sendings += 1
      if state.sendings > 1, exchange?.request.isRepeatable == false {
        state.failure = .unanswered
        return false
      }
      state.begun = .now
      state.sockets = sockets.connections[port]?.sockets ?? []
      sockets.connections.begin(on: port)
      if let exchange, exchange.request.switchesProtocols {
        sockets.begin(exchange, on: state.sockets)
      }
      return true
    }

    private func mayUse(_ port: Int32) -> Bool {
      guard handle.long(CURLINFO_NUM_CONNECTS) > 0 else {
        guard let connection = sockets.connections[port], !avoids(peerAddress) else { return false }
        return state.speaksHTTP2 ? !sockets.connections.isSuspected(port) : isSilent(connection)
      }
      let connected =
        state.opened.last { resource_curl_local_port($0) == port } ?? state.opened.last
      if let connected { sockets.connections.add(connected, port: port) }
      return true
    }

    /// Returns whether nothing has arrived on a connection with HTTP/1 since its last response,
    /// which would be taken for the next one. Where that isn't known, something may have.
    ///
    /// Over TLS 1.3 a server may send session tickets without a request. They arrive before its
    /// first response and are read with that.
    private func isSilent(_ connection: CurlConnections.Sockets) -> Bool {
      guard sockets.isSilent(connection) else { return false }
      let isSecure = exchange?.request.url.scheme?.lowercased() == "https"
      let hasSecureProxy = configuration.proxy?.scheme == "https"
      guard isSecure || hasSecureProxy else { return true }
      // Of TLS within that of a proxy only one session is known.
      guard !isSecure || !hasSecureProxy else { return false }
      return unsafe resource_tls_has_pending(sockets.connections.tls, handle.easy) == 0
    }

    /// Which of the host's addresses the request is sent to; `nil` for any, and for that of a proxy.
    private var addressChoice: AddressChoice? {
      configuration.proxy == nil ? exchange?.request.draft.addressChoice : nil
    }

    private func avoids(_ address: IPAddress?) -> Bool {
      guard let address, let addressChoice, !state.takesAnyAddress else { return false }
      return addressChoice.avoided.contains(address.bytes)
    }

    /// The other end of the connection on which the request is sent.
    private var peerAddress: IPAddress? {
      addressChoice == nil ? nil : handle.text(CURLINFO_PRIMARY_IP).flatMap { IPAddress($0) }
    }

    /// Opens a socket for an address, which is `nil` if it isn't of the internet. Returns `nil` if
    /// the address isn't allowed or is to be avoided, or the system has no socket.
    func open(_ address: IPAddress?, _ family: Int32, _ kind: Int32, _ number: Int32) -> Int32? {
      if let address, !configuration.addresses.allows(address) {
        state.unopened = .refusedAddress
        return nil
      }
      guard !avoids(address) else {
        state.hasAvoided = true
        return nil
      }
      if let address { addressChoice?.note(address.bytes) }
      // Child processes must not keep its connections open.
      let opened = socket(family, kind | Int32(SOCK_CLOEXEC.rawValue), number)
      guard opened >= 0 else {
        if [EMFILE, ENFILE].contains(errno) { state.unopened = LoadError(noSocket: errno) }
        return nil
      }
      state.opened.append(opened)
      return opened
    }
  }
#endif
