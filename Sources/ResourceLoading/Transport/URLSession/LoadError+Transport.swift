import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension LoadError {
  /// What an error of a data task means.
  ///
  /// On Linux the codes tell little: a cut body, a bad chunk, bad gzip and a failed handshake are all
  /// "unknown". The platform's own text is kept in the reason.
  package init(transport error: any Error) {
    let code = (error as? URLError)?.code ?? .unknown
    // How long it took differs from load to load and tells nothing.
    let detail = (error as NSError).localizedDescription.replacing(#/ after \d+ ms/#, with: "")
    let isSecure = code == .unknown && detail.tellsOfTLS
    let (kind, what, advice) = Self.classification(of: isSecure ? .secureConnectionFailed : code)
    self.init(kind, "\(what) (\(detail))", advice: advice)
    // Without the user info, which holds the URL with whatever secrets it has.
    underlying = URLError(code, userInfo: [NSLocalizedDescriptionKey: detail])
  }

  private static func classification(of code: URLError.Code) -> (Kind, String, advice: String?) {
    switch code {
    case .timedOut: (.timedOut, "the platform's time limit passed", nil)
    case .cannotFindHost, .dnsLookupFailed:
      (.connection, "the host name can't be resolved", "Check the host name and the network")
    case .cannotConnectToHost:
      (.connection, "the server can't be reached", "Check that it runs on that host and port")
    case .notConnectedToInternet: (.connection, "there is no network", "Connect to a network")
    case .networkConnectionLost: (.connection, "the connection was lost", nil)
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      (.secureConnection, "TLS failed", "Check the server's certificate and the system's clock")
    case .appTransportSecurityRequiresSecureConnection:
      (.secureConnection, "App Transport Security forbids http", "Use https")
    case .dataLengthExceedsMaximum: (.tooLarge, "the platform refused the size", nil)
    default: (.connection, "the connection failed before a whole response was read", nil)
    }
  }
}

extension String {
  /// Whether a text of libcurl is about TLS: on Linux nothing else tells it. A connection that is cut while something
  /// is read or written is none of its failures.
  fileprivate var tellsOfTLS: Bool {
    contains(#/\bSSL\b/#.wordBoundaryKind(.simple)) && !contains(#/SSL_(read|write)/#)
  }
}
