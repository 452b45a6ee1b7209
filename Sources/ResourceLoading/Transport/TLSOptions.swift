public import Foundation
import ResourcePrimitives

/// The certificates that are trusted over TLS, and the one that is presented to servers that ask
/// for one.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.tls.minimumVersion = .tls13
///   $0.tls.additionalAuthorities = [.file(authority)]
///   $0.tls.pins = TLSOptions.PublicKeyPins(key, backup: backup)
/// }
/// ```
///
/// libcurl, with which clients load on Linux, supports all options. `URLSession` on Apple platforms
/// supports all but a client certificate in PEM: it needs PKCS #12. `URLSession` on Linux supports
/// none. An option that isn't supported is an error: see ``Client/Configuration/check()``.
public struct TLSOptions: Sendable, Hashable {
  /// Whether the certificate authorities of the system are trusted.
  public var trustsSystem = true

  /// Further certificate authorities that are trusted; by libcurl for proxies with the scheme
  /// `https`, too. libcurl reads files again for later connections, `URLSession` once.
  public var additionalAuthorities: [PEM] = []

  /// The certificate that is presented to servers that ask for one; `nil` for none. Its files are
  /// read once. A cache keeps the responses to different certificates apart.
  public var clientCertificate: ClientCertificate?

  /// The public keys that a trusted server may have; `nil` for any.
  public var pins: PublicKeyPins?

  /// The oldest version of TLS that is accepted.
  public var minimumVersion = Version.tls12

  /// Creates the default options: the system's authorities, TLS 1.2 and later.
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

  /// A certificate or a key in PEM (RFC 7468).
  @nonexhaustive
  public enum PEM: Sendable, Hashable {
    /// A file, which is read when it is needed.
    case file(URL)
    /// The text itself, for a key that isn't in a file.
    case data(Data)
  }

  /// A certificate with its private key.
  public struct ClientCertificate: Sendable, Hashable {
    let content: Content

    /// The passphrase of the private key; `nil` if it isn't encrypted.
    let passphrase: String?

    enum Content: Sendable, Hashable {
      case pem(certificate: PEM, privateKey: PEM)
      case pkcs12(Data)
    }

    /// Creates a certificate with its key in PEM, which `URLSession` can't use.
    ///
    /// - Parameters:
    ///   - certificate: The certificate, followed by those up to its authority if servers need
    ///     them.
    ///   - privateKey: The private key.
    ///   - passphrase: The passphrase of the private key; `nil` if it isn't encrypted.
    public init(certificate: PEM, privateKey: PEM, passphrase: String? = nil) {
      content = .pem(certificate: certificate, privateKey: privateKey)
      self.passphrase = passphrase
    }

    /// Creates a certificate with its key from the content of a PKCS #12 file (RFC 7292), such as
    /// `me.p12`.
    ///
    /// - Parameters:
    ///   - pkcs12: The content of the file.
    ///   - passphrase: The passphrase of the file. Apple platforms read no file without one.
    public init(pkcs12: Data, passphrase: String) {
      content = .pkcs12(pkcs12)
      self.passphrase = passphrase
    }
  }

  /// The public keys that a server's own certificate may have.
  ///
  /// A pin is the SHA-256 of a key's SubjectPublicKeyInfo (DER), in base64; RFC 7469 section 2.4
  /// shows how to compute one. One of them is a backup: the pin of a key pair that is kept ready
  /// and isn't in use. Without it, no client could connect anymore once the first key is lost.
  public struct PublicKeyPins: Sendable, Hashable {
    /// The pins, including the backup.
    public var keys: [String]

    /// The date from which any key is accepted, so that a program that isn't updated keeps working;
    /// `nil` for never.
    public var expiration: Date?

    /// Creates a list of pins.
    ///
    /// - Parameters:
    ///   - key: The pin of the key in use.
    ///   - backup: The pin of a key that is kept ready.
    ///   - others: Further pins, such as those of other servers with the same name.
    ///   - expiration: The date from which any key is accepted; `nil` for never.
    public init(_ key: String, backup: String, others: [String] = [], expiration: Date? = nil) {
      keys = [key, backup] + others
      self.expiration = expiration
    }
  }
}

extension TLSOptions.PEM: CustomStringConvertible, CustomReflectable {
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

extension TLSOptions.ClientCertificate: CustomStringConvertible, CustomReflectable {
  /// The sources of the certificate and the key, without the passphrase.
  public var description: String {
    switch content {
    case .pem(let certificate, let key): "certificate \(certificate), private key \(key)"
    case .pkcs12(let data): "PKCS #12, \(data.count) bytes"
    }
  }

  /// Shows what the description does.
  public var customMirror: Mirror { Mirror(self, children: ["source": description]) }
}

extension TLSOptions.PublicKeyPins {
  /// Returns the pins that count at a date; `nil` if any key is accepted.
  func keys(at date: Date) -> [String]? {
    expiration.map { date >= $0 } == true ? nil : keys
  }
}

extension TLSOptions.PEM {
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
  /// Checks settings that no engine could use: a pin that isn't the base64 of 32 bytes matches no
  /// key.
  func check() throws(LoadError) {
    for key in pins?.keys ?? [] where Data(base64Encoded: key)?.count != 32 {
      throw LoadError(
        .invalidRequest, "the pin \(key.printable) isn't a SHA-256 in base64",
        advice: "Give the 44 characters that RFC 7469 section 2.4 shows how to compute")
    }
  }
}
