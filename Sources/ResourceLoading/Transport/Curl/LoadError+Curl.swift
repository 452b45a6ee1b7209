import ResourcePrimitives

#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc

  extension CurlTransport {
    /// A failure of libcurl: the underlying error of a ``LoadError``.
    public struct Failure: Error, Hashable, CustomStringConvertible {
      /// Its code (`CURLcode`, <https://curl.se/libcurl/c/libcurl-errors.html>).
      public var code: Int

      /// The message of libcurl.
      public var description: String
    }
  }

  extension CurlTransport.Failure {
    /// Without a text, libcurl's message for the code is used.
    init(_ code: CURLcode, _ text: String? = nil) {
      self.init(code: Int(code.rawValue), description: text ?? code.text)
    }
  }

  extension CurlTransport.Failure: TransportFailure {
    /// No libcurl, no host, no proxy, no connection. libcurl has no time limit but the one for
    /// connecting.
    var isWithoutConnection: Bool { [2, 5, 6, 7, 28].contains(code) }
  }

  extension CurlTransport.Failure: PassingFailure {
    /// Whether libcurl had no memory.
    package var mayPass: Bool { code == Int(CURLE_OUT_OF_MEMORY.rawValue) }
  }

  extension CURLcode {
    fileprivate var text: String { unsafe String(cString: curl_easy_strerror(self)) }
  }

  extension LoadError {
    /// Creates the error for a failure of libcurl. `verification` is the result of verifying the
    /// server's certificate, a code of OpenSSL; 0 for a success.
    init(curl code: CURLcode, _ text: String?, verification: Int = 0) {
      let text = text ?? code.text
      let meaning =
        code == CURLE_PEER_FAILED_VERIFICATION
        ? Self.meaning(ofVerification: verification, text) : Self.meaning(of: code, text)
      self = meaning.explained(by: text) { CurlTransport.Failure(code, $0) }
    }

    private static func meaning(of code: CURLcode, _ text: String) -> LoadError {
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unknownHost
      case CURLE_COULDNT_CONNECT: .unreachable
      case CURLE_PROXY:
        LoadError(
          .connection, "the proxy refused", advice: "Check the proxy and its credentials")
      case CURLE_OPERATION_TIMEDOUT:
        LoadError(
          .timedOut, "the connection wasn't made in time",
          advice: "Raise the transport's connectTimeout")
      case CURLE_PARTIAL_FILE:
        LoadError(.connection, "the connection was closed before the body was whole")
      case CURLE_GOT_NOTHING: .unanswered
      case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SEND_FAIL_REWIND: .connectionLost
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
        LoadError(
          .connection, "the answer isn't HTTP",
          advice: "Check that the port is a web server's, and doesn't expect https")
      case CURLE_HTTP2, CURLE_HTTP2_STREAM: LoadError(.connection, "the HTTP/2 connection failed")
      case CURLE_URL_MALFORMAT: LoadError(.invalidRequest, "the URL can't be read")
      case CURLE_OUT_OF_MEMORY: .curlOutOfMemory
      default: secureMeaning(of: code, text)
      }
    }

    private static func secureMeaning(of code: CURLcode, _ text: String) -> LoadError {
      switch code {
      case CURLE_SSL_CONNECT_ERROR:
        LoadError(
          .secureConnection, "the TLS handshake failed", advice: Self.handshakeAdvice(text))
      case CURLE_SSL_CERTPROBLEM:
        LoadError(
          .secureConnection, "the client certificate can't be used",
          advice: "Check its files and passphrase")
      case CURLE_SSL_CACERT_BADFILE:
        LoadError(
          .secureConnection, "the certificate authorities can't be read",
          advice: "Check their files")
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .unpinned
      case CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE,
        CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
        CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED:
        LoadError(.secureConnection, "TLS failed")
      default: .incomplete
      }
    }

    /// The codes are those of X509_verify_cert_error_string(3).
    private static func meaning(ofVerification code: Int, _ text: String) -> LoadError {
      // The code of a name that doesn't match differs between versions.
      switch text.contains("target host name") ? 0 : code {
      case 0:
        LoadError(
          .secureConnection, "the server's certificate is for another name",
          advice: "Check the host name of the URL")
      case 9:
        LoadError(
          .secureConnection, "the server's certificate isn't valid yet",
          advice: "Check the system's clock")
      case 10:
        LoadError(
          .secureConnection, "the server's certificate has expired",
          advice: "Renew it, or check the system's clock")
      default: .untrusted
      }
    }
  }

  // Failures without a message of libcurl.

  extension LoadError {
    static let curlOutOfMemory = LoadError(
      .connection, "libcurl has no memory left",
      underlying: CurlTransport.Failure(CURLE_OUT_OF_MEMORY))

    static let curlUnavailable = LoadError(
      .connection, "libcurl can't be set up",
      advice: "See whether the process has free descriptors",
      underlying: CurlTransport.Failure(CURLE_FAILED_INIT))

    /// Creates the error for an option that libcurl refuses.
    init(setting code: CURLcode, _ option: CURLoption, _ text: String? = nil) {
      // A shortage says nothing about the request, which may be sent later.
      guard code != CURLE_OUT_OF_MEMORY else {
        self = .curlOutOfMemory
        return
      }
      let name = unsafe resource_curl_option_name(option).map { unsafe String(cString: $0) }
      let isMissing = [CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN].contains(code)
      let failure = CurlTransport.Failure(code, text)
      self.init(
        .invalidRequest,
        "libcurl refuses the option CURLOPT_\(name ?? "\(option.rawValue)") (\(failure))",
        advice: isMissing
          ? "Install a libcurl with this feature"
          : "Check the transport's configuration, and the request",
        underlying: failure)
    }

    static let proxyBehindSocket = LoadError(
      .invalidRequest,
      "the transport has a proxy and a Unix domain socket, of which it can use one",
      advice: "Remove the proxy or the unixSocketPath from its configuration")

    /// Creates the error for a Unix domain socket without a server.
    init(noServerAt path: String) {
      self.init(
        .connection, "the Unix domain socket \(path.printable) can't be connected to",
        advice: "Check that its server runs, and that the process may use the path")
    }

    /// Creates the error for a socket that the system refused, with the system's error.
    init(noSocket reason: Int32) {
      let text = unsafe String(cString: strerror(reason))
      self.init(
        .connection, "the system has no socket for the connection (\(text))",
        advice: "Raise the process's limit of descriptors (ulimit -n), or lower the client's"
          + " maximumRequestsPerHost",
        underlying: CurlTransport.Failure(CURLE_COULDNT_CONNECT, text))
    }

    static let refusedAddress = LoadError(
      .address, "the host has an address that mustn't be connected to",
      advice: "Allow it by the transport's configuration.addresses if that is meant")

    static let addressesBehindProxy = LoadError(
      .invalidRequest, "a proxy looks up names on its own, so addresses can't be checked",
      advice: "Have the proxy check them, and set configuration.addresses to .any")

    static let endedInsideHead = LoadError(
      .connection, "the connection was closed inside the headers")

    static let cutStream = LoadError(
      .connection, "the HTTP/2 connection failed before the body was whole")

    static let headTooLarge = LoadError(
      .tooLarge, "the headers are larger than libcurl takes over HTTP/2 (about 128 KB)")

    static let headLineTooLong = LoadError(
      .tooLarge, "one of the headers is longer than libcurl takes, or has memory for")
  }
#endif
