#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Synchronization

  /// The transfers of an engine: those in use, and idle ones.
  final class CurlPool {
    private let configuration: CurlTransport.Configuration
    private let shared: Shared
    private var transfers: [CurlTransfer?] = []
    private var idle: [CurlTransfer] = []
    private var freeIndices: [Int] = []

    /// The maximum number of idle transfers.
    ///
    /// None with an old libcurl, whose handles keep a dangling pointer to the last header of the previous response, and use it
    /// when a response begins with a folded line (curl's pull request 11103; seen with 7.88 under the address sanitizer).
    /// Creating a handle takes a microsecond.
    private static let maximumIdle = resource_curl_version() >= 0x08_02_00 ? 128 : 0

    /// The share handle of all transfers.
    struct Shared {
      /// The TLS sessions, so that new connections are established faster.
      let share: UnsafeMutableRawPointer
      let sockets: CurlSockets
      /// Returns whether a socket is used by an exchange.
      let isBusy: (Int32) -> Bool
    }

    init?(
      _ configuration: CurlTransport.Configuration, _ sockets: CurlSockets,
      isBusy: @escaping (Int32) -> Bool
    ) {
      guard let share = curl_share_init() else { return nil }
      shared = Shared(share: share, sockets: sockets, isBusy: isBusy)
      self.configuration = configuration
      resource_curl_share(share, CURL_LOCK_DATA_SSL_SESSION)
    }

    deinit {
      removeAll()
      curl_share_cleanup(shared.share)
    }
  }

  extension CurlPool {
    /// Returns a transfer that is prepared for an exchange.
    ///
    /// - Throws: `LoadError` if libcurl can't do what the configuration or the request wants.
    func take(for exchange: CurlExchange) throws(LoadError) -> CurlTransfer {
      let transfer: CurlTransfer
      if let pooled = idle.popLast() { transfer = pooled } else { transfer = try make() }
      do throws(LoadError) {
        try transfer.prepare(exchange)
      } catch {
        put(transfer)
        throw error
      }
      return transfer
    }

    /// - Throws: `LoadError` if libcurl has no memory or refuses an option.
    private func make() throws(LoadError) -> CurlTransfer {
      let index = freeIndices.last ?? transfers.endIndex
      let transfer = try CurlTransfer(index, configuration, shared)
      if index == transfers.endIndex {
        transfers.append(transfer)
      } else {
        freeIndices.removeLast()
        transfers[index] = transfer
      }
      return transfer
    }

    /// Takes back a transfer that libcurl doesn't use any more.
    func put(_ transfer: CurlTransfer) {
      transfer.clear()
      if idle.count < Self.maximumIdle { return idle.append(transfer) }
      transfers[transfer.index] = nil
      freeIndices.append(transfer.index)
    }

    /// Returns the current transfer of an exchange.
    func transfer(of exchange: CurlExchange) -> CurlTransfer? {
      let index = exchange.index.load(ordering: .relaxed)
      guard transfers.indices.contains(index), let transfer = transfers[index],
        transfer.exchange === exchange
      else { return nil }
      return transfer
    }

    /// The transfers in use.
    var busy: [CurlTransfer] { transfers.compactMap(\.self).filter { $0.exchange != nil } }

    /// Frees all transfers.
    func removeAll() {
      (transfers, idle, freeIndices) = ([], [], [])
    }
  }
#endif
