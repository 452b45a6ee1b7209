#if Curl && canImport(CResourceCurl)
  /// The addresses of an engine's connections, and which of them were silent.
  ///
  /// A new connection to a host goes to another of its addresses if there is one: of several servers
  /// behind a name, one may have stopped answering while it still accepts connections.
  struct CurlAddresses {
    private var addresses: [Int32: IPAddress] = [:]
    /// When a request was last given up because nothing arrived from an address.
    private var silences: [IPAddress: ContinuousClock.Instant] = [:]

    /// How long a silence counts.
    private static let memory = Duration.seconds(30)

    /// Records the address to which a socket connects.
    mutating func add(_ address: IPAddress, of socket: Int32) { addresses[socket] = address }

    mutating func remove(_ socket: Int32) { addresses[socket] = nil }

    /// Records that a request was given up because nothing arrived on its connection.
    mutating func noteSilence(of sockets: [Int32]) {
      let now = ContinuousClock.now
      silences = silences.filter { $0.value.duration(to: now) < Self.memory }
      for address in sockets.compactMap({ addresses[$0] }) { silences[address] = now }
    }

    /// Returns whether an address was silent a short time ago.
    func isSilent(_ address: IPAddress) -> Bool {
      guard let silence = silences[address] else { return false }
      return silence.duration(to: .now) < Self.memory
    }
  }
#endif
