#if Curl && canImport(CResourceCurl)
  import CResourceCurl

  extension CurlTransport {
    /// A failure of libcurl: the underlying error of a ``LoadError``.
    public struct Failure: Error, Hashable, CustomStringConvertible {
      /// Its code (`CURLcode`, <https://curl.se/libcurl/c/libcurl-errors.html>).
      public var code: Int

      /// The message of libcurl.
      public var description: String
    }
  }

  extension LoadError {
    /// Creates the error for a failure of libcurl.
    ///
    /// - Parameters:
    ///   - code: The code of libcurl.
    ///   - text: The message of libcurl.
    ///   - verification: The result of verifying the server's certificate, a code of OpenSSL; 0 for a success.
    init(curl code: CURLcode, _ text: String, verification: Int) {
      let (kind, what, advice) =
        code == CURLE_PEER_FAILED_VERIFICATION
        ? Self.classification(ofVerification: verification, text) : Self.classification(of: code)
      // Durations are removed, so that equal errors have equal texts.
      let text = text.replacing(#/ after \d+ ms/#, with: "")
      self.init(
        kind, "\(what) (\(text))", advice: advice,
        underlying: CurlTransport.Failure(code: Int(code.rawValue), description: text))
    }

    private typealias Classification = (Kind, String, advice: String?)

    private static func classification(of code: CURLcode) -> Classification {
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
        (.connection, "the host name can't be resolved", "Check the host name and the network")
      case CURLE_COULDNT_CONNECT:
        (.connection, "the server can't be reached", "Check that it runs on that host and port")
      case CURLE_PROXY: (.connection, "the proxy refused", "Check the proxy and its credentials")
      case CURLE_OPERATION_TIMEDOUT:
        (.timedOut, "the connection wasn't made in time", "Raise the transport's connectTimeout")
      case CURLE_PARTIAL_FILE:
        (.connection, "the connection was closed before the body was whole", nil)
      case CURLE_GOT_NOTHING:
        (.connection, "the server closed the connection without an answer", nil)
      case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SEND_FAIL_REWIND:
        (.connection, "the connection was lost", nil)
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
        (.connection, "the answer isn't HTTP", "Check that the port is a web server's")
      case CURLE_BAD_CONTENT_ENCODING:
        (.connection, "the body's content coding is broken", nil)
      case CURLE_HTTP2, CURLE_HTTP2_STREAM: (.connection, "the HTTP/2 connection failed", nil)
      case CURLE_URL_MALFORMAT: (.invalidRequest, "the URL can't be read", nil)
      default: secureClassification(of: code)
      }
    }

    private static func secureClassification(of code: CURLcode) -> Classification {
      switch code {
      case CURLE_SSL_CONNECT_ERROR: (.secureConnection, "the TLS handshake failed", nil)
      case CURLE_SSL_CERTPROBLEM:
        (
          .secureConnection, "the client certificate can't be used",
          "Check its files and passphrase"
        )
      case CURLE_SSL_CACERT_BADFILE:
        (.secureConnection, "the certificate authorities can't be read", "Check their files")
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        (
          .secureConnection, "the server's public key isn't one of those that are pinned",
          "Pin its new key if it has changed"
        )
      case CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE,
        CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
        CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED:
        (.secureConnection, "TLS failed", nil)
      default: (.connection, "the connection failed before a whole response was read", nil)
      }
    }

    /// The codes are those of X509_verify_cert_error_string(3).
    private static func classification(ofVerification code: Int, _ text: String) -> Classification {
      // The code of a name that doesn't match differs between versions.
      switch text.contains("target host name") ? 0 : code {
      case 0:
        (
          .secureConnection, "the server's certificate is for another name",
          "Check the host name of the URL"
        )
      case 9:
        (
          .secureConnection, "the server's certificate isn't valid yet", "Check the system's clock"
        )
      case 10:
        (
          .secureConnection, "the server's certificate has expired",
          "Renew it, or check the system's clock"
        )
      default:
        (
          .secureConnection, "the server's certificate isn't trusted",
          "Trust its authority by additionalAuthorities if that is right"
        )
      }
    }
  }
#endif
