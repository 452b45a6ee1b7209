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

      /// The public keys that a server may have, besides being trusted; `nil` for any.
      public var pins: CurlTransport.PublicKeyPins?

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

    /// Where a certificate or a key is, in PEM.
    @nonexhaustive
    public enum PEM: Sendable, Hashable {
      /// A file, read when a server is connected to.
      case file(URL)
      /// The text itself: a key needn't lie in a file.
      case data(Data)
    }

    /// A certificate with its private key.
    public struct ClientCertificate: Sendable, Hashable {
      /// The certificate, and those up to its authority if they are needed.
      public var certificate: PEM

      /// The private key.
      public var privateKey: PEM

      /// What the private key is encrypted with; `nil` if it isn't.
      public var passphrase: String?

      /// Names a certificate and its key.
      ///
      /// - Parameters:
      ///   - certificate: The certificate.
      ///   - privateKey: The private key.
      ///   - passphrase: What the private key is encrypted with.
      public init(certificate: PEM, privateKey: PEM, passphrase: String? = nil) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.passphrase = passphrase
      }
    }
  }

  extension CurlTransport.TLS.PEM: CustomStringConvertible, CustomReflectable {
    /// The file's path, or how many bytes there are; never these themselves.
    public var description: String {
      switch self {
      case .file(let url): url.path(percentEncoded: false)
      case .data(let data): "\(data.count) bytes"
      }
    }

    /// Shows what the description does.
    public var customMirror: Mirror { Mirror(self, children: ["source": description]) }
  }

  extension CurlTransport.TLS.ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// Where the certificate and the key are, without the passphrase.
    public var description: String { "certificate \(certificate), private key \(privateKey)" }

    /// Shows what the description does.
    public var customMirror: Mirror {
      Mirror(self, children: ["certificate": certificate, "privateKey": privateKey])
    }
  }

  extension CurlTransport {
    /// The public keys that a server may have.
    ///
    /// A key is told by the SHA-256 of its SubjectPublicKeyInfo (DER), in base64; RFC 7469 section 2.4 shows how
    /// to compute one. One of them is a backup: that of a key pair which lies ready and isn't in use, without
    /// which nobody could connect any more once the first one is lost.
    public struct PublicKeyPins: Sendable, Hashable {
      /// The keys, the backup included.
      public var keys: [String]

      /// When they stop to count, so that a program that nobody updates goes on working; `nil` for never.
      public var expires: Date?

      /// Names keys.
      ///
      /// - Parameters:
      ///   - key: The one in use.
      ///   - backup: One that lies ready.
      ///   - others: Further ones, such as those of an authority.
      ///   - expires: When they stop to count.
      public init(_ key: String, backup: String, others: [String] = [], until expires: Date? = nil)
      {
        keys = [key, backup] + others
        self.expires = expires
      }
    }
  }

  extension CurlTransport.PublicKeyPins {
    /// Those that count at a date; `nil` for any.
    func keys(at date: Date) -> [String]? {
      expires.map { date >= $0 } == true ? nil : keys
    }
  }
#endif
