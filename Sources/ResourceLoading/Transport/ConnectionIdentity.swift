import Foundation
import ResourcePrimitives

/// What a transport's settings say about the user of its connections: the text of
/// ``Transport/identity(for:)``.
enum ConnectionIdentity {
  /// Returns the text for some settings; `nil` if they don't identify a user. Servers may learn
  /// from the proxy whose credentials it got. A socket replaces the server of the URL.
  static func text(
    certificate: TLSOptions.ClientCertificate?, proxy: ProxyServer?, socket: String? = nil
  ) -> String? {
    let proxy = proxy?.url
    let lines = [
      certificate.map { "certificate \($0.fingerprint)" },
      proxy?.user == nil && proxy?.password == nil
        ? nil : proxy.map { "proxy \($0.absoluteString)" },
      socket.map { "socket \($0)" },
    ].compactMap(\.self)
    return lines.isEmpty ? nil : lines.joined(separator: "\n")
  }
}

extension TLSOptions.ClientCertificate {
  var fingerprint: String {
    let bytes =
      switch content {
      // A file that can't be read is presented to no server.
      case .pem(let certificate, _): (try? certificate.text) ?? Data()
      case .pkcs12(let data): data
      }
    return SecureHash.hexadecimal(SecureHash.sha256(bytes))
  }

  /// The certificate with its files read, so that each connection presents the same one. Files that
  /// can't be read are kept.
  var loaded: TLSOptions.ClientCertificate {
    guard case .pem(let certificate, let privateKey) = content else { return self }
    return TLSOptions.ClientCertificate(
      certificate: certificate.loaded, privateKey: privateKey.loaded, passphrase: passphrase)
  }
}

extension TLSOptions.PEM {
  fileprivate var loaded: TLSOptions.PEM { (try? text).map { .data($0) } ?? self }
}
