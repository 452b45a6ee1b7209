package import Foundation

/// A certificate authority for tests, created by the program `openssl`.
package final class TLSAuthority: Sendable {
  package let folder: URL

  package static let isAvailable = FileManager.default.isExecutableFile(atPath: program)
  package static let program = "/usr/bin/openssl"

  package init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try run(
      ["req", "-x509", "-subj", "/CN=Test authority", "-days", "2", "-out", "ca.pem"]
        + Self.newKey("ca"))
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  struct Failure: Error {
    var arguments: [String]
  }

  package func file(_ name: String) -> URL { folder.appending(path: name) }
}

extension TLSAuthority {
  /// Creates an authority with the certificate `good` of a server on this machine.
  package static func withServer() throws -> TLSAuthority {
    let authority = try TLSAuthority()
    try authority.issue("good", for: "IP:127.0.0.1")
    return authority
  }

  /// Creates a certificate, `NAME.pem`, with its key, `NAME.key`, for a subject such as
  /// `IP:127.0.0.1`. The kind of key is as for the option `-newkey`; `nil` for the curve P-256.
  package func issue(
    _ name: String, for subject: String, days: Int = 2, key: [String]? = nil
  ) throws {
    let newKey = key.map { ["-newkey"] + $0 + ["-nodes", "-keyout", "\(name).key"] }
    try run(
      ["req", "-subj", "/CN=\(name)", "-out", "\(name).csr"] + (newKey ?? Self.newKey(name)))
    try "subjectAltName=\(subject)\n".write(
      to: file("\(name).ext"), atomically: true, encoding: .utf8)
    try run([
      "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
      "-out", "\(name).pem", "-days", "\(days)", "-extfile", "\(name).ext",
    ])
  }

  /// The SHA-256 of a certificate's public key, in base64.
  package func pin(of name: String) throws -> String {
    try run(["x509", "-in", "\(name).pem", "-pubkey", "-noout", "-out", "\(name).pub"])
    try run(["pkey", "-pubin", "-in", "\(name).pub", "-outform", "der", "-out", "\(name).der"])
    try run(["dgst", "-sha256", "-binary", "-out", "\(name).sum", "\(name).der"])
    return try Data(contentsOf: file("\(name).sum")).base64EncodedString()
  }

  /// A certificate with its key in PKCS #12.
  package func pkcs12(of name: String, passphrase: String) throws -> Data {
    try run([
      "pkcs12", "-export", "-in", "\(name).pem", "-inkey", "\(name).key", "-passout",
      "pass:\(passphrase)", "-out", "\(name).p12",
    ])
    return try Data(contentsOf: file("\(name).p12"))
  }

  private static func newKey(_ name: String) -> [String] {
    [
      "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(name).key",
    ]
  }

  private func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: Self.program)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
  }
}
