#if URLSession || !os(Linux)
  #if !canImport(FoundationNetworking)
    import Dispatch
    import Foundation
    import Network
    import ResourcePrimitives
    import Synchronization

    /// A request that switches protocols, over a connection of its own: a `URLSession` keeps its
    /// connections to itself.
    final class UpgradeExchange: Exchange {
      private let request: WireRequest
      private let receiver: any ExchangeReceiver
      /// The queue on which everything arrives, one event after another.
      private let queue = DispatchQueue(label: "ResourceLoading.UpgradeExchange")
      private let state: Mutex<State>

      private struct State {
        var connection: NWConnection?
        var reader: UpgradeReader
        var isConnected = false
        var isReading = false
        var isPaused = false
        var isOver = false
        /// Why the server isn't trusted.
        var distrust: LoadError?
      }

      init(_ request: WireRequest, _ receiver: any ExchangeReceiver) {
        (self.request, self.receiver) = (request, receiver)
        state = Mutex(State(reader: UpgradeReader(for: request.method)))
      }
    }

    extension UpgradeExchange {
      /// Connects with the settings of a session, and sends the request.
      func start(in owned: OwnedSession) {
        queue.async { [self] in
          do throws(LoadError) {
            guard !owned.router.isClosed else { throw .transportClosed }
            let connection = try connection(in: owned)
            state.withLock { $0.connection = connection }
            let further = Headers(
              (owned.session.configuration.httpAdditionalHeaders ?? [:]).map {
                Headers.Field(Headers.Name(rawValue: "\($0.key)"), "\($0.value)")
              })
            connection.stateUpdateHandler = { [self] in change(to: $0, further) }
            connection.start(queue: queue)
            // A call of `cancel()` in the meantime found no connection.
            if state.withLock({ $0.isOver }) { close() }
          } catch {
            end(error)
          }
        }
      }

      private func connection(in owned: OwnedSession) throws(LoadError) -> NWConnection {
        let isSecure = request.url.scheme?.lowercased() == "https"
        let number = UInt16(exactly: request.url.port ?? (isSecure ? 443 : 80))
        guard let host = request.url.host(percentEncoded: false),
          let port = number.flatMap({ NWEndpoint.Port(rawValue: $0) })
        else { throw .unknownHost }
        let name = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let tcp = NWProtocolTCP.Options()
        tcp.noDelay = true
        let tls =
          isSecure ? try security(of: owned).options(for: name, on: queue, fail: distrust) : nil
        let parameters = NWParameters(tls: tls, tcp: tcp)
        parameters.apply(request.networkAccess, owned.session.configuration)
        return NWConnection(host: NWEndpoint.Host(name), port: port, using: parameters)
      }

      private func security(of owned: OwnedSession) throws(LoadError) -> SessionSecurity {
        if let security = owned.security { return security }
        return try SessionSecurity(TLSOptions(), nil)
      }

      private func distrust(_ reason: LoadError) { state.withLock { $0.distrust = reason } }

      private func change(to new: NWConnection.State, _ further: Headers) {
        switch new {
        case .ready:
          state.withLock { $0.isConnected = true }
          send(request.head(adding: further)) { _ in }
          readOn()
        // It would wait for another network, but the load has its own rules for that.
        case .waiting(let error), .failed(let error): end(failure(error))
        case .cancelled: end(.connectionLost)
        default: break
        }
      }

      private func failure(_ error: NWError) -> LoadError {
        let (distrust, isConnected) = state.withLock { ($0.distrust, $0.isConnected) }
        return distrust ?? error.failure(isConnected: isConnected)
      }
    }

    extension UpgradeExchange {
      func send(_ bytes: Data, whenTaken report: @escaping @Sendable (Bool) -> Void) {
        let connection = state.withLock { $0.isOver ? nil : $0.connection }
        guard let connection else { return report(false) }
        connection.send(content: bytes, completion: .contentProcessed { report($0 == nil) })
      }

      func pause() { state.withLock { $0.isPaused = true } }

      func resume() {
        state.withLock { $0.isPaused = false }
        readOn()
      }

      /// Reads until the body is paused.
      private func readOn() {
        let connection = state.withLock { state -> NWConnection? in
          guard state.isConnected, !state.isReading, !state.isPaused, !state.isOver else {
            return nil
          }
          state.isReading = true
          return state.connection
        }
        connection?.receive(minimumIncompleteLength: 1, maximumLength: 64 << 10) {
          [self] bytes, _, isAtEnd, error in
          receive(bytes ?? Data(), isAtEnd: isAtEnd, error)
          state.withLock { $0.isReading = false }
          readOn()
        }
      }

      private func receive(_ bytes: Data, isAtEnd: Bool, _ error: NWError?) {
        let (events, violation) = state.withLock { state in
          var events: [UpgradeReader.Event] = []
          do throws(LoadError) {
            try state.reader.read(bytes, into: &events)
            if isAtEnd { try state.reader.readEnd(into: &events) }
            return (events, LoadError?.none)
          } catch {
            return (events, error)
          }
        }
        for event in events where !state.withLock({ $0.isOver }) { deliver(event) }
        if let failure = violation ?? error.map(failure) { end(failure) }
      }

      private func deliver(_ event: UpgradeReader.Event) {
        switch event {
        case .interim: break
        case .head(let head): receiver.received(head)
        case .bytes(let bytes): receiver.received(bytes)
        case .end: end(nil)
        }
      }
    }

    extension UpgradeExchange {
      func cancel() { if leave() { close() } }

      /// Reports the end. Only the first call has an effect.
      private func end(_ failure: LoadError?) {
        guard leave() else { return }
        close()
        receiver.finished(failure)
      }

      /// Returns whether this call ends the exchange.
      private func leave() -> Bool {
        state.withLock { state in
          defer { state.isOver = true }
          return !state.isOver
        }
      }

      private func close() {
        let connection = state.withLock { $0.connection.take() }
        connection?.stateUpdateHandler = nil
        connection?.cancel()
      }
    }

    extension NWParameters {
      /// Sets the networks that a request may use, and the proxies of a session.
      fileprivate func apply(
        _ access: WireRequest.NetworkAccess, _ configuration: URLSessionConfiguration
      ) {
        let allowsCellular = access.cellular ?? configuration.allowsCellularAccess
        if !allowsCellular { prohibitedInterfaceTypes = [.cellular] }
        prohibitConstrainedPaths =
          !(access.constrained ?? configuration.allowsConstrainedNetworkAccess)
        prohibitExpensivePaths = !(access.expensive ?? configuration.allowsExpensiveNetworkAccess)
        guard !configuration.proxyConfigurations.isEmpty else { return }
        let context = NWParameters.PrivacyContext(description: "ResourceLoading")
        context.proxyConfigurations = configuration.proxyConfigurations
        setPrivacyContext(context)
      }
    }

    extension NWError {
      /// The error of a load, with the code that `URLSession` has for it.
      fileprivate func failure(isConnected: Bool) -> LoadError {
        let code: URLError.Code =
          switch self {
          case .dns: .cannotFindHost
          case .tls: .secureConnectionFailed
          case .posix(.ENETDOWN) where !isConnected: .notConnectedToInternet
          case .posix(.ETIMEDOUT): .timedOut
          default: isConnected ? .networkConnectionLost : .cannotConnectToHost
          }
        let text = "\(self)".printable
        return LoadError(transport: URLError(code, userInfo: [NSLocalizedDescriptionKey: text]))
      }
    }
  #endif
#endif
