public import Foundation

/// Whom to trust over TLS, and what to show to servers that ask.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.tls.minimumVersion = .tls13
///   $0.tls.additionalAuthorities = [.file(authority)]
///   $0.tls.pins = TLSOptions.PublicKeyPins(key, backup: backup)
/// }
/// ```
///
/// libcurl, which clients load with on Linux, can do all of it. `URLSession` on Apple platforms can do all but a client
/// certificate in PEM: it needs PKCS #12. `URLSession` on Linux can do none of it. What can't be done is an error: see
/// ``Client/Configuration/check()``.
public struct TLSOptions: Sendable, Hashable {
  /// Whether the certificate authorities of the system are trusted.
  public var trustsSystem = true

  /// Certificate authorities that are trusted as well. libcurl reads files anew for each connection, `URLSession` once.
  public var additionalAuthorities: [PEM] = []

  /// What is shown to servers that ask for a certificate; `nil` for none.
  public var clientCertificate: ClientCertificate?

  /// The public keys that a server may have, besides being trusted; `nil` for any.
  public var pins: PublicKeyPins?

  /// The oldest version of TLS that is accepted.
  public var minimumVersion = Version.tls12

  /// The usual: the system's authorities, TLS 1.2 and later.
  public init() {}
}

extension TLSOptions {
  /// A version of TLS.
  @nonexhaustive
  public enum Version: Sendable, Hashable {
    /// TLS 1.2 (RFC 5246).
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13
  }

  /// Where a certificate or a key is, in PEM (RFC 7468).
  @nonexhaustive
  public enum PEM: Sendable, Hashable {
    /// A file, read when it is needed.
    case file(URL)
    /// The text itself: a key needn't lie in a file.
    case data(Data)
  }

  /// A certificate with its private key.
  public struct ClientCertificate: Sendable, Hashable {
    let content: Content

    /// What the private key is encrypted with; `nil` if it isn't.
    let passphrase: String?

    enum Content: Sendable, Hashable {
      case pem(certificate: PEM, privateKey: PEM)
      case pkcs12(Data)
    }

    /// Names a certificate and its key in PEM, which `URLSession` can't use.
    ///
    /// - Parameters:
    ///   - certificate: The certificate, and those up to its authority if they are needed.
    ///   - privateKey: The private key.
    ///   - passphrase: What the private key is encrypted with.
    public init(certificate: PEM, privateKey: PEM, passphrase: String? = nil) {
      content = .pem(certificate: certificate, privateKey: privateKey)
      self.passphrase = passphrase
    }

    /// Takes a certificate and its key from the content of a PKCS #12 file (RFC 7292), such as `me.p12`.
    ///
    /// - Parameters:
    ///   - pkcs12: The content of the file.
    ///   - passphrase: What it is encrypted with. Apple platforms read none without.
    public init(pkcs12: Data, passphrase: String) {
      content = .pkcs12(pkcs12)
      self.passphrase = passphrase
    }
  }

  /// The public keys that a server's own certificate may have.
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
    ///   - others: Further ones, such as those of servers behind the same name.
    ///   - expires: When they stop to count.
    public init(_ key: String, backup: String, others: [String] = [], until expires: Date? = nil) {
      keys = [key, backup] + others
      self.expires = expires
    }
  }
}

extension TLSOptions.PEM: CustomStringConvertible, CustomReflectable {
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

extension TLSOptions.ClientCertificate: CustomStringConvertible, CustomReflectable {
  /// Where the certificate and the key are, without the passphrase.
  public var description: String {
    switch content {
    case .pem(let certificate, let key): "certificate \(certificate), private key \(key)"
    case .pkcs12(let data): "PKCS #12, \(data.count) bytes"
    }
  }

  /// Shows what the description does.
  public var customMirror: Mirror { Mirror(self, children: ["source": description]) }
}

// MARK: - Reading and checking

extension TLSOptions.PublicKeyPins {
  /// Those that count at a date; `nil` for any.
  func keys(at date: Date) -> [String]? {
    expires.map { date >= $0 } == true ? nil : keys
  }
}

extension TLSOptions.PEM {
  /// The text.
  ///
  /// - Throws: `LoadError` if a file can't be read.
  var text: Data {
    get throws(LoadError) {
      switch self {
      case .data(let data): return data
      case .file(let file):
        guard let text = try? Data(contentsOf: file) else {
          throw LoadError(
            .secureConnection, "the certificate authorities in \(file.path) can't be read",
            advice: "Check that the file exists and may be read")
        }
        return text
      }
    }
  }
}

extension TLSOptions {
  /// Checks what would be wrong with any engine: a pin that isn't the base64 of 32 bytes matches no key.
  func check() throws(LoadError) {
    for key in pins?.keys ?? [] where Data(base64Encoded: key)?.count != 32 {
      throw LoadError(
        .invalidRequest, "the pin \(key.printable) isn't a SHA-256 in base64",
        advice: "Give the 44 characters that RFC 7469 section 2.4 shows how to compute")
    }
  }
}
