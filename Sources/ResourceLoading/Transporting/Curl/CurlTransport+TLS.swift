#if Curl && canImport(CResourceCurl)
  public import Foundation

  extension CurlTransport {
    /// Whom to trust over TLS, and what to show to servers that ask.
    public struct TLS: Sendable, Hashable {
      /// Whether the certificate authorities of the system are trusted.
      public var trustsSystem = true

      /// PEM files with certificate authorities that are trusted as well. They are read anew for each
      /// connection.
      public var additionalAuthorities: [URL] = []

      /// What is shown to servers that ask for a certificate; `nil` for none.
      public var clientCertificate: ClientCertificate?

      /// SHA-256 hashes, in base64, of the public keys (DER, SubjectPublicKeyInfo) that a server may have,
      /// besides being trusted; empty for any (RFC 7469 section 2.4 shows how to compute one).
      public var pinnedPublicKeys: [String] = []

      /// The oldest version of TLS that is accepted.
      public var minimumVersion = Version.tls12

      /// The usual: the system's authorities, TLS 1.2 and later.
      public init() {}
    }
  }

  extension CurlTransport.TLS {
    /// A version of TLS.
    @nonexhaustive
    public enum Version: Sendable, Hashable {
      /// TLS 1.2 (RFC 5246).
      case tls12
      /// TLS 1.3 (RFC 8446).
      case tls13
    }

    /// A certificate with its private key, in PEM files.
    public struct ClientCertificate: Sendable, Hashable {
      /// The file with the certificate, and those up to its authority if they are needed.
      public var certificate: URL

      /// The file with the private key.
      public var privateKey: URL

      /// What the private key is encrypted with; `nil` if it isn't.
      public var passphrase: String?

      /// Names the files; they are read when a server is connected to.
      ///
      /// - Parameters:
      ///   - certificate: The file with the certificate.
      ///   - privateKey: The file with the private key.
      ///   - passphrase: What the private key is encrypted with.
      public init(certificate: URL, privateKey: URL, passphrase: String? = nil) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.passphrase = passphrase
      }
    }
  }
#endif
