#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc

  // The functions that libcurl calls: C functions that find the transfer and call its methods. They
  // are unsafe because they rely on libcurl: the context is the one that was set, and a buffer has
  // the size that it states. The context exists as long as they may be called: a transfer frees its
  // handle before itself, and the engine its multi handle before the sockets. A buffer is valid
  // during the call, and nothing keeps it.

  extension CurlTransfer {
    /// Returns the transfer of a handle.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
      unsafe transfer(resource_curl_get_private(easy))
    }
  }

  extension CurlHandle {
    /// Sets the callbacks to methods of a transfer, which isn't retained.
    ///
    /// - Parameter sockets: Gets the sockets that are closed, even after the transfer has been
    ///   freed.
    func set(callbacksOf transfer: CurlTransfer, _ sockets: CurlSockets) throws(LoadError) {
      let pointer = unsafe Unmanaged.passUnretained(transfer).toOpaque()
      for option in [
        CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA,
        CURLOPT_PREREQDATA, CURLOPT_OPENSOCKETDATA,
      ] { try unsafe set(option, pointer) }
      try unsafe set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
      try unsafe check(
        resource_curl_set_transfer(easy, CURLOPT_HEADERFUNCTION, receiveLine),
        CURLOPT_HEADERFUNCTION)
      try unsafe check(
        resource_curl_set_transfer(easy, CURLOPT_WRITEFUNCTION, receiveBody), CURLOPT_WRITEFUNCTION)
      try unsafe check(
        resource_curl_set_transfer(easy, CURLOPT_READFUNCTION, sendBody), CURLOPT_READFUNCTION)
      try unsafe check(resource_curl_set_seek(easy, rewindBody), CURLOPT_SEEKFUNCTION)
      try unsafe check(resource_curl_set_begin(easy, beginSending), CURLOPT_PREREQFUNCTION)
      try unsafe check(resource_curl_set_open(easy, openSocket), CURLOPT_OPENSOCKETFUNCTION)
      try unsafe check(resource_curl_set_close(easy, closeSocket), CURLOPT_CLOSESOCKETFUNCTION)
    }
  }

  private func transfer(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer? {
    unsafe pointer.map { unsafe Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private func receiveLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ pointer: UnsafeMutableRawPointer?
  ) -> Int {
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer(pointer)?.receive(line: line) == true ? line.count : Int.max
  }

  private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ pointer: UnsafeMutableRawPointer?
  ) -> Int {
    let body = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard let transfer = unsafe transfer(pointer) else { return Int.max }
    guard let goesOn = unsafe transfer.receive(body: body) else { return Int(CURL_WRITEFUNC_PAUSE) }
    return goesOn ? body.count : Int.max
  }

  private func sendBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ pointer: UnsafeMutableRawPointer?
  ) -> Int {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer(pointer)?.send(into: buffer) ?? Int(resource_curl_read_abort())
  }

  private func rewindBody(
    _ pointer: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32
  ) -> Int32 {
    // libcurl uses no other kind.
    guard offset == 0, origin == 0, let transfer = unsafe transfer(pointer) else {
      return CURL_SEEKFUNC_FAIL
    }
    transfer.rewind()
    return CURL_SEEKFUNC_OK
  }

  private func beginSending(
    _ pointer: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<CChar>?,
    _: UnsafeMutablePointer<CChar>?, _: Int32, localPort: Int32
  ) -> Int32 {
    let goesOn = unsafe transfer(pointer)?.begin(port: localPort) == true
    return goesOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  private func openSocket(
    _ pointer: UnsafeMutableRawPointer?, _: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
  ) -> curl_socket_t {
    guard let transfer = unsafe transfer(pointer), let address = unsafe address else {
      return resource_curl_bad_socket()
    }
    // There is room for the longest address.
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe Int(resource_curl_address(address, &bytes))
    let socket = unsafe transfer.open(
      count == 0 ? nil : IPAddress(bytes.prefix(count)), address.pointee.family,
      address.pointee.socktype, address.pointee.protocol)
    return socket ?? resource_curl_bad_socket()
  }

  private func closeSocket(_ pointer: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    if let pointer = unsafe pointer {
      unsafe Unmanaged<CurlSockets>.fromOpaque(pointer).takeUnretainedValue().connections.remove(
        socket)
    }
    return close(socket)
  }
#endif
