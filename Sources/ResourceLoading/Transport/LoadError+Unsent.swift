import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension LoadError {
  /// Whether the request certainly wasn't sent, because no connection was made. `false` means that it may have been.
  package var isUnsent: Bool {
    guard attempts.count <= 1 else { return false }
    switch kind {
    case .invalidRequest, .address, .secureConnection: return true
    case .connection, .timedOut: return hasNoConnection
    default: return false
    }
  }

  private var hasNoConnection: Bool {
    #if Curl && canImport(CResourceCurl)
      // No libcurl, no host, no proxy, no connection. libcurl has no time limit but the one for connecting.
      if let failure = underlying as? CurlTransport.Failure {
        return [2, 5, 6, 7, 28].contains(failure.code)
      }
    #endif
    let codes: [URLError.Code] = [
      .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
    ]
    return (underlying as? URLError).map { codes.contains($0.code) } ?? false
  }
}
