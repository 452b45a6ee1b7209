#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Foundation
  import Synchronization

  /// One handle of libcurl, used for one exchange after another.
  final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    /// Where the pool keeps it.
    let place: Int
    private(set) var exchange: CurlExchange?
    /// Why it was given up here, rather than in libcurl.
    private var failure: LoadError?
    private var head = ResponseHeadReader()
    private var decoding = ContentDecoding()
    private var upload = CurlUpload()
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let version: CurlTransport.HTTPVersion
    private let errorText: UnsafeMutableBufferPointer<CChar>
    /// How often the request was begun to be sent: more than once if a connection was dead.
    private var sendings = 0
    private(set) var began = ContinuousClock.now

    /// - Throws: `LoadError` if libcurl can't do what the configuration wants.
    init(
      _ place: Int, _ configuration: CurlTransport.Configuration, _ share: UnsafeMutableRawPointer
    ) throws(LoadError) {
      guard let easy = curl_easy_init() else { throw .curlUnavailable }
      self.easy = easy
      self.place = place
      version = configuration.httpVersion
      errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
      errorText.initialize(repeating: 0)
      let handle = CurlHandle(easy)
      try handle.set(CURLOPT_SHARE, share)
      try handle.set(CURLOPT_ERRORBUFFER, errorText.baseAddress)
      try handle.set(callbacksOf: self)
      try handle.apply(configuration)
    }

    deinit {
      curl_easy_cleanup(easy)
      curl_slist_free_all(fields)
      errorText.deallocate()
    }

    /// The transfer that a handle belongs to.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
      resource_curl_get_private(easy).map {
        Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue()
      }
    }
  }

  // MARK: - From exchange to exchange

  extension CurlTransfer {
    /// Makes it ready for libcurl to carry out an exchange.
    ///
    /// - Throws: `LoadError` if libcurl can't do what the request wants.
    func prepare(_ exchange: CurlExchange) throws(LoadError) {
      self.exchange = exchange
      exchange.place.store(place, ordering: .relaxed)
      upload = CurlUpload(exchange.request.body)
      began = .now
      try CurlHandle(easy).apply(exchange.request, version, &fields)
    }

    /// Forgets the exchange; the handle keeps its options.
    func clear() {
      exchange?.place.store(-1, ordering: .relaxed)
      exchange = nil
      failure = nil
      head = ResponseHeadReader()
      decoding = ContentDecoding()
      upload = CurlUpload()
      sendings = 0
      errorText[0] = 0
    }

    /// Goes on with a body that was held up.
    ///
    /// - Returns: Why it couldn't go on, if it couldn't.
    func resume() -> CURLcode { curl_easy_pause(easy, CURLPAUSE_CONT) }

    /// What went wrong, if anything did.
    func outcome(_ code: CURLcode) -> LoadError? {
      if let failure { return failure }
      guard code == CURLE_OK || isAnswered else { return meaning(of: code) }
      // libcurl takes a head that ends in the middle for whole.
      guard head.isComplete else { return .endedInsideHead }
      return decoding.end()
    }

    /// Whether the response is whole, whatever became of the connection then: a server may close it before it
    /// has read the request (RFC 9112 section 9.3).
    private var isAnswered: Bool {
      let length = resource_curl_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
      return head.isComplete && length >= 0
        && length == resource_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
    }

    private func meaning(of code: CURLcode) -> LoadError {
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
    /// - Returns: Whether to go on.
    func receive(line: UnsafeRawBufferPointer) -> Bool {
      guard let exchange, !exchange.isCancelled else { return false }
      switch head.read(line) {
      case .more: return true
      case .head(let head):
        decoding = ContentDecoding(of: head, for: exchange.request)
        exchange.receiver.received(head)
        return true
      case .tooLong:
        failure = .headTooLong
        return false
      }
    }

    /// - Returns: Whether to go on; `nil` if the same bytes are to come again later.
    func receive(body: UnsafeRawBufferPointer) -> Bool? {
      guard let exchange, !exchange.isCancelled else { return false }
      guard !exchange.holds() else { return nil }
      guard !decoding.isIdentity else {
        exchange.receiver.received(Data(body))
        return true
      }
      do throws(LoadError) {
        return try decoding.decode(body) { chunk in
          exchange.receiver.received(Data(chunk))
          return !exchange.isCancelled
        }
      } catch {
        failure = error
        return false
      }
    }

    /// - Returns: How many bytes there were; `nil` if the body can't be read.
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

    /// Has the body sent again.
    func rewind() { upload.rewind() }

    /// libcurl sends a request again if a connection that it kept was closed before an answer came. What
    /// isn't idempotent may have been carried out.
    ///
    /// - Returns: Whether to go on.
    func begin() -> Bool {
      sendings += 1
      guard sendings > 1, exchange?.request.isRepeatable != true else { return true }
      failure = .lostBeforeAnswer
      return false
    }
  }

  extension WireRequest {
    /// Whether sending it twice has the effect of sending it once (RFC 9110 section 9.2.2).
    fileprivate var isRepeatable: Bool {
      ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method.rawValue)
        || headers[.idempotencyKey] != nil
    }
  }

  extension CURLcode {
    /// What comes of a line that is longer than libcurl takes: out of memory, or since 8.6 a code of its own.
    fileprivate var saysTooLarge: Bool { self == CURLE_OUT_OF_MEMORY || rawValue == 100 }
  }

  extension LoadError {
    static let curlUnavailable = LoadError(.connection, "libcurl has no memory left")

    fileprivate static let endedInsideHead = LoadError(
      .connection, "the connection was closed inside the headers")

    fileprivate static let lostBeforeAnswer = LoadError(
      .connection, "the server closed the connection without an answer")

    fileprivate static let headTooLong = LoadError(
      .tooLarge, "the headers have more than \(ResponseHeadReader.maximumSize) bytes")

    fileprivate static let headLineTooLong = LoadError(
      .tooLarge, "one of the headers is longer than libcurl takes")
  }
#endif
