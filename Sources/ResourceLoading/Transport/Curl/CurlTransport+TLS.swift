#if Curl && canImport(CResourceCurl)
  public import Foundation

  extension CurlTransport {
    /// The trusted authorities, and the client's certificate.
    public struct TLS: Sendable, Hashable {
      /// Whether the certificate authorities of the system are trusted.
      public var trustsSystem = true

      /// PEM files with certificate authorities that are trusted as well. They are read again for each connection.
      public var additionalAuthorities: [URL] = []

      /// The certificate for servers that request one; `nil` for none.
      public var clientCertificate: ClientCertificate?

      /// The public keys of which a trusted server must have one; `nil` for any.
      public var pins: CurlTransport.PublicKeyPins?

      /// The oldest version of TLS that is accepted.
      public var minimumVersion = Version.tls12

      /// Creates the default settings: the system's authorities, TLS 1.2 and later.
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

    /// A certificate or a key in PEM.
    @nonexhaustive
    public enum PEM: Sendable, Hashable {
      /// A file, which is read for each connection.
      case file(URL)
      /// The text itself, so that a key needn't be in a file.
      case data(Data)
    }

    /// A certificate with its private key.
    public struct ClientCertificate: Sendable, Hashable {
      /// The certificate, with intermediate certificates if they are needed.
      public var certificate: PEM

      /// The private key.
      public var privateKey: PEM

      /// The passphrase of the private key; `nil` if it isn't encrypted.
      public var passphrase: String?

      /// Creates a client certificate.
      ///
      /// - Parameters:
      ///   - certificate: The certificate.
      ///   - privateKey: The private key.
      ///   - passphrase: The passphrase of the private key.
      public init(certificate: PEM, privateKey: PEM, passphrase: String? = nil) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.passphrase = passphrase
      }
    }
  }

  extension CurlTransport.TLS.PEM: CustomStringConvertible, CustomReflectable {
    /// The path of the file, or the number of bytes; never the bytes themselves.
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
    /// The description of the certificate and the key, without the passphrase.
    public var description: String { "certificate \(certificate), private key \(privateKey)" }

    /// Shows what the description does.
    public var customMirror: Mirror {
      Mirror(self, children: ["certificate": certificate, "privateKey": privateKey])
    }
  }

  extension CurlTransport {
    /// The public keys that a server may have.
    ///
    /// A key is given by the SHA-256 of its SubjectPublicKeyInfo (DER) in base64; RFC 7469 section 2.4 shows how to compute it.
    /// One of them is a backup: a key pair that is prepared and not in use. Without it, no client could connect any more once
    /// the first key is lost.
    public struct PublicKeyPins: Sendable, Hashable {
      /// The keys, including the backup.
      public var keys: [String]

      /// When the pins expire, so that a program without updates continues to work; `nil` for never.
      public var expires: Date?

      /// Creates pins.
      ///
      /// - Parameters:
      ///   - key: The key in use.
      ///   - backup: The backup key.
      ///   - others: Further keys, such as those of an authority.
      ///   - expires: When the pins expire.
      public init(_ key: String, backup: String, others: [String] = [], until expires: Date? = nil)
      {
        keys = [key, backup] + others
        self.expires = expires
      }
    }
  }

  extension CurlTransport.PublicKeyPins {
    /// Returns the keys at a date; `nil` for any.
    func keys(at date: Date) -> [String]? {
      expires.map { date >= $0 } == true ? nil : keys
    }
  }
#endif
