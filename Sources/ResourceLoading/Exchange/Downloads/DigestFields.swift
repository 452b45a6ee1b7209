import Foundation
import ResourcePrimitives

extension ResponseHead {
  /// The digests of the whole representation that the server announces, by `Repr-Digest` (RFC 9530)
  /// or the older `Digest` (RFC 3230). Algorithms other than SHA-256 and SHA-512, and values that
  /// aren't hashes, are ignored; so is everything if the body has a content coding, since the
  /// digest is of the coded bytes.
  var announcedDigests: [DownloadOptions.Digest] {
    guard hasNoCoding else { return [] }
    return Self.digests(in: headers.values(of: .reprDigest))
      + Self.digests(in: headers.values(of: .digest))
  }

  /// The digests of exactly the bytes of this body: `Content-Digest` (RFC 9530).
  var contentDigests: [DownloadOptions.Digest] {
    hasNoCoding ? Self.digests(in: headers.values(of: .contentDigest)) : []
  }

  /// Whether the bytes of the body are those of the representation.
  var hasNoCoding: Bool {
    headers[.contentEncoding].map { $0.trimmingSpaces().lowercased() == "identity" } ?? true
  }

  /// Reads `sha-256=:…:, sha-512=:…:` and `SHA-256=…,SHA-512=…`.
  private static func digests(in fields: [String]) -> [DownloadOptions.Digest] {
    fields.flatMap { $0.split(separator: ",") }.compactMap { member in
      guard let (name, rest) = String(member).cut(at: "=") else { return nil }
      let algorithm: DownloadOptions.Digest.Algorithm
      switch name.trimmingSpaces().lowercased() {
      case "sha-256": algorithm = .sha256
      case "sha-512": algorithm = .sha512
      default: return nil
      }
      // Without the parameters of a structured field.
      let value = String(rest).parts(between: ";", omittingEmpty: false).first ?? ""
      let text = value.trimmingSpaces()
      let isStructured = text.utf8.count >= 2 && text.hasPrefix(":") && text.hasSuffix(":")
      guard
        let bytes = Data(base64Encoded: isStructured ? String(text.dropFirst().dropLast()) : text),
        bytes.count * 8 == algorithm.rawValue
      else { return nil }
      return DownloadOptions.Digest(algorithm, SecureHash.hexadecimal(bytes))
    }
  }
}

extension DownloadOptions {
  /// Checks what can be checked before anything is sent.
  func check() throws(LoadError) {
    if let digest {
      let digits = digest.algorithm.rawValue / 4
      guard digest.hexadecimal.utf8.count == digits,
        digest.hexadecimal.hasOnlyBytes(where: {
          UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
        })
      else {
        throw LoadError(
          .invalidRequest, "the digest of the download hasn't \(digits) hexadecimal digits",
          advice: "Pass the hash in hexadecimal digits, not in Base64")
      }
    }
    if let size, size < 0 {
      throw LoadError(.invalidRequest, "the size of the download is less than 0")
    }
  }
}

extension LoadError {
  /// The error for a file with another digest than it should have.
  init(_ digest: DownloadOptions.Digest, found: String, from source: DigestCheck.Source) {
    let who = source == .caller ? "the caller names" : "the server announces"
    self.init(
      .digest,
      "the content has the SHA-\(digest.algorithm.rawValue) hash \(found), but \(who) \(digest.hexadecimal)",
      advice: "Load it again; if the hash is the same, find out which of them is out of date")
  }

  /// The error for a file with another size than it should have.
  init(size: Int, insteadOf wanted: Int) {
    self.init(
      .digest, "the content has \(size) bytes, but the caller names \(wanted)",
      advice: "Find out whether the content has changed")
  }
}
