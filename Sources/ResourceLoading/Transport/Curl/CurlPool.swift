#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Synchronization

  /// The transfers of an engine: those in use, and idle ones.
  @safe final class CurlPool {
    private let configuration: CurlTransport.Configuration
    private let sockets: CurlSockets
    /// The share handle of all transfers, with the TLS sessions, so that new connections are
    /// established faster. It is freed after them.
    private let share: UnsafeMutableRawPointer
    /// The transfers in use, each at the index of its exchange.
    private(set) var busy: [CurlTransfer] = []
    private var idle: [CurlTransfer] = []

    /// The maximum number of idle transfers.
    ///
    /// None with an old libcurl, whose handles keep a dangling pointer to the last header of the
    /// previous response, and use it when a response begins with a folded line (curl's pull request
    /// 11103; seen with 7.88 under the address sanitizer). Creating a handle takes a microsecond or
    /// two.
    private static let maximumIdle = resource_curl_version() >= 0x08_02_00 ? 128 : 0

    init?(_ configuration: CurlTransport.Configuration, _ sockets: CurlSockets) {
      guard let share = unsafe curl_share_init() else { return nil }
      unsafe self.share = share
      self.configuration = configuration
      self.sockets = sockets
      let code = unsafe resource_curl_share(share, CURL_LOCK_DATA_SSL_SESSION)
      // A libcurl without TLS has no sessions.
      guard [CURLSHE_OK, CURLSHE_NOT_BUILT_IN].contains(code) else { return nil }
    }

    deinit {
      removeAll()
      unsafe curl_share_cleanup(share)
    }
  }

  extension CurlPool {
    func take(for exchange: CurlExchange) throws(LoadError) -> CurlTransfer {
      let transfer: CurlTransfer
      if let pooled = idle.popLast() {
        transfer = pooled
      } else {
        transfer = try unsafe CurlTransfer(configuration, sockets, share: share)
      }
      try transfer.prepare(exchange)
      exchange.index.store(busy.endIndex, ordering: .relaxed)
      busy.append(transfer)
      return transfer
    }

    /// Takes back a transfer that libcurl doesn't use anymore.
    func put(_ transfer: CurlTransfer) {
      guard let index = transfer.exchange?.index.exchange(-1, ordering: .relaxed) else { return }
      let last = busy.removeLast()
      if last !== transfer {
        busy[index] = last
        last.exchange?.index.store(index, ordering: .relaxed)
      }
      transfer.clear()
      if idle.count < Self.maximumIdle { idle.append(transfer) }
    }

    /// Returns the current transfer of an exchange.
    func transfer(of exchange: CurlExchange) -> CurlTransfer? {
      let index = exchange.index.load(ordering: .relaxed)
      return index < 0 ? nil : busy[index]
    }

    func removeAll() { (busy, idle) = ([], []) }
  }
#endif
