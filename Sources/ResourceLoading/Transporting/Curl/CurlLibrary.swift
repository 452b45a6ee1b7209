#if Curl && canImport(CResourceCurl)
  import CResourceCurl
  import Glibc

  /// libcurl as a whole, which is set up once in a process.
  enum CurlLibrary {
    /// Whether it could be set up.
    static let isReady: Bool = {
      keepOpenSSLToTheEnd()
      // libcurl would write the keys of all connections into that file, as long as the process lives.
      unsetenv("SSLKEYLOGFILE")
      return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    /// Has OpenSSL, if libcurl is built with that, free nothing when the process exits.
    ///
    /// It would do so in a handler of `exit`, while threads of ours are inside, or just going: a program that
    /// ends with a load under way, or has just dropped a client, crashed at times. The system takes the memory
    /// back in any case. Without effect if somebody else has set up OpenSSL before.
    private static func keepOpenSSLToTheEnd() {
      typealias Setup = @convention(c) (UInt64, OpaquePointer?) -> Int32
      guard let symbol = dlsym(nil, "OPENSSL_init_crypto") else { return }
      let withoutHandler: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
      _ = unsafeBitCast(symbol, to: Setup.self)(withoutHandler, nil)
    }
  }
#endif
