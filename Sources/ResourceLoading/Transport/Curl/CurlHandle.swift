#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc

  /// Sets the options of a handle of libcurl.
  struct CurlHandle {
    private let easy: UnsafeMutableRawPointer

    init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

    /// - Throws: `LoadError` if libcurl refuses the option.
    func set(_ option: CURLoption, _ value: Int) throws(LoadError) {
      try check(resource_curl_set_long(easy, option, value))
    }

    /// - Throws: `LoadError` if libcurl refuses the option.
    func set(_ option: CURLoption, _ value: Bool) throws(LoadError) {
      try set(option, value ? 1 : 0)
    }

    /// Sets a string, which libcurl copies; `nil` resets the option.
    ///
    /// - Throws: `LoadError` if libcurl refuses the option.
    func set(_ option: CURLoption, _ value: String?) throws(LoadError) {
      let code =
        value?.withCString { resource_curl_set_string(easy, option, $0) }
        ?? resource_curl_set_string(easy, option, nil)
      try check(code)
    }

    /// - Throws: `LoadError` if libcurl refuses the option.
    func set(_ option: CURLoption, bytes value: Int) throws(LoadError) {
      try check(resource_curl_set_offset(easy, option, Int64(value)))
    }

    /// - Throws: `LoadError` if libcurl refuses the option.
    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) throws(LoadError) {
      try check(resource_curl_set_pointer(easy, option, value))
    }

    /// Sets bytes, which libcurl copies.
    ///
    /// - Throws: `LoadError` if libcurl refuses the option.
    func set(_ option: CURLoption, blob value: [UInt8]) throws(LoadError) {
      try check(resource_curl_set_blob(easy, option, value, value.count))
    }

    /// Fails if libcurl doesn't have an option: without it, less might be checked than the configuration demands.
    ///
    /// - Throws: `LoadError` for any other code than `CURLE_OK`.
    private func check(_ code: CURLcode) throws(LoadError) {
      guard code == CURLE_OK else { throw LoadError(setting: code) }
    }
  }

  extension CurlHandle {
    /// Refuses all schemes but http and https.
    ///
    /// - Throws: `LoadError` if libcurl refuses the option.
    func setSchemes() throws(LoadError) { try check(resource_curl_allow_http(easy)) }
  }

  extension CurlHandle {
    /// Has a transfer that ends leave the lookup of its host's name to itself. The engine would wait for it otherwise, and so
    /// would all other transfers, for as long as the system asks name servers that are silent. A libcurl before 7.87 waits.
    func leaveLookups() { resource_curl_leave_lookups(easy) }
  }

  // MARK: - Callbacks

  extension CurlHandle {
    /// Sets the callbacks to methods of a transfer, which isn't retained.
    ///
    /// - Parameter sockets: Gets the sockets that are closed, also after the transfer was freed.
    /// - Throws: `LoadError` if libcurl refuses an option.
    func set(callbacksOf transfer: CurlTransfer, _ sockets: CurlSockets) throws(LoadError) {
      let pointer = Unmanaged.passUnretained(transfer).toOpaque()
      for option in [
        CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA,
        CURLOPT_PREREQDATA, CURLOPT_OPENSOCKETDATA,
      ] { try set(option, pointer) }
      try set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
      try check(resource_curl_set_transfer(easy, CURLOPT_HEADERFUNCTION, receiveLine))
      try check(resource_curl_set_transfer(easy, CURLOPT_WRITEFUNCTION, receiveBody))
      try check(resource_curl_set_transfer(easy, CURLOPT_READFUNCTION, sendBody))
      try check(resource_curl_set_seek(easy, rewindBody))
      try check(resource_curl_set_begin(easy, beginSending))
      try check(resource_curl_set_open(easy, openSocket))
      try check(resource_curl_set_close(easy, closeSocket))
    }
  }

  private func transfer(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer? {
    pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private func receiveLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ pointer: UnsafeMutableRawPointer?
  ) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(pointer)?.receive(line: line) == true ? line.count : Int.max
  }

  private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ pointer: UnsafeMutableRawPointer?
  ) -> Int {
    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard let transfer = transfer(pointer) else { return Int.max }
    guard let goesOn = transfer.receive(body: body) else { return Int(CURL_WRITEFUNC_PAUSE) }
    return goesOn ? body.count : Int.max
  }

  private func sendBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ pointer: UnsafeMutableRawPointer?
  ) -> Int {
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return transfer(pointer)?.send(into: buffer) ?? Int(resource_curl_read_abort())
  }

  private func rewindBody(
    _ pointer: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32
  ) -> Int32 {
    // libcurl uses no other kind.
    guard offset == 0, origin == 0, let transfer = transfer(pointer) else {
      return CURL_SEEKFUNC_FAIL
    }
    transfer.rewind()
    return CURL_SEEKFUNC_OK
  }

  private func beginSending(
    _ pointer: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<CChar>?,
    _: UnsafeMutablePointer<CChar>?, _: Int32, localPort: Int32
  ) -> Int32 {
    let goesOn = transfer(pointer)?.begin(port: localPort) == true
    return goesOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  private func openSocket(
    _ pointer: UnsafeMutableRawPointer?, _: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
  ) -> curl_socket_t {
    guard let transfer = transfer(pointer), let address else { return resource_curl_bad_socket() }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = Int(resource_curl_address(address, &bytes))
    guard transfer.mayConnect(to: count == 0 ? nil : IPAddress(bytes.prefix(count))) else {
      return resource_curl_bad_socket()
    }
    // Child processes must not keep its connections open.
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let socket = socket(address.pointee.family, kind, address.pointee.protocol)
    if socket >= 0 { transfer.note(opened: socket) } else { transfer.openedNothing(errno) }
    return socket
  }

  private func closeSocket(_ pointer: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    if let pointer {
      Unmanaged<CurlSockets>.fromOpaque(pointer).takeUnretainedValue().remove(socket)
    }
    return close(socket)
  }
#endif

#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc

  /// The initialisation of libcurl, once in a process.
  enum CurlLibrary {
    /// Whether it succeeded.
    static let isReady: Bool = {
      keepOpenSSLToTheEnd()
      // libcurl would write the keys of all connections into that file.
      unsetenv("SSLKEYLOGFILE")
      return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    /// Keeps OpenSSL, if libcurl is built with it, from freeing its memory when the process exits.
    ///
    /// It would do so in a handler of `exit`, while threads of transports may be using it: a program that exited during a load,
    /// or right after it released a client, sometimes crashed. The system frees the memory in any case. Without effect if other
    /// code has initialised OpenSSL before.
    private static func keepOpenSSLToTheEnd() {
      typealias Setup = @convention(c) (UInt64, OpaquePointer?) -> Int32
      guard let symbol = dlsym(nil, "OPENSSL_init_crypto") else { return }
      let withoutHandler: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
      _ = unsafeBitCast(symbol, to: Setup.self)(withoutHandler, nil)
    }
  }
#endif
