#if URLSession || !os(Linux)
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension LoadError {
    /// Creates the error for that of a data task.
    ///
    /// On Linux the codes mean little: a truncated body, a bad chunk, bad gzip and a failed handshake
    /// are all "unknown". The platform's own text is kept in the reason.
    package init(transport error: any Error) {
      let code = (error as? URLError)?.code ?? .unknown
      let text = (error as NSError).localizedDescription
      var meaning = Self.meaning(
        of: code == .unknown && text.isAboutTLS ? .secureConnectionFailed : code)
      if text.contains("wrong version number") { meaning.advice = Self.handshakeAdvice(text) }
      self = meaning.explained(by: text) {
        // Without the user info of the error, which has the URL with its secrets.
        URLError(code, userInfo: [NSLocalizedDescriptionKey: $0])
      }
    }

    private static func meaning(of code: URLError.Code) -> LoadError {
      switch code {
      case .timedOut: LoadError(.timedOut, "the platform's time limit passed")
      case .cannotFindHost, .dnsLookupFailed: .unknownHost
      case .cannotConnectToHost: .unreachable
      case .notConnectedToInternet:
        LoadError(.connection, "there is no network", advice: "Connect to a network")
      case .networkConnectionLost: .connectionLost
      case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
        .clientCertificateRequired:
        LoadError(
          .secureConnection, "TLS failed",
          advice: "Check the server's certificate and the system's clock")
      case .appTransportSecurityRequiresSecureConnection:
        LoadError(
          .secureConnection, "App Transport Security forbids http", advice: "Use https")
      case .dataLengthExceedsMaximum: LoadError(.tooLarge, "the platform refused the size")
      default: .incomplete
      }
    }
  }

  extension String {
    /// Whether a text of libcurl, on which URLSession on Linux is built, is about TLS: there is no
    /// code for that. A connection that is closed during a read or a write isn't a failure of TLS.
    fileprivate var isAboutTLS: Bool {
      contains(#/\bSSL\b/#.wordBoundaryKind(.simple)) && !contains(#/SSL_(read|write)/#)
    }
  }

  extension LoadError {
    /// The failure of a load for an error of `URLSession`; `nil` for any other error.
    package init?(ofURLSession error: any Error) {
      guard error is URLError else { return nil }
      self.init(transport: error)
    }
  }

  extension URLError: TransportFailure {
    var isWithoutConnection: Bool {
      let codes: [URLError.Code] = [
        .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
      ]
      return codes.contains(code)
    }
  }
#endif
