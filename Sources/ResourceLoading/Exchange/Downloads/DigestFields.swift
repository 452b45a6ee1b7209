import Foundation
import ResourcePrimitives

extension Headers {
  /// The digests of the whole representation that the server announces, by `Repr-Digest` (RFC 9530)
  /// or the older `Digest` (RFC 3230). Algorithms other than SHA-256 and SHA-512, and values that
  /// aren't hashes, are ignored; so is everything if the body has a content coding, since the
  /// digest is of the coded bytes.
  var announcedDigests: [DownloadOptions.Digest] {
    hasNoCoding ? digests(in: .reprDigest) + olderDigests : []
  }

  /// The digests of exactly the bytes of this body: `Content-Digest` (RFC 9530).
  var contentDigests: [DownloadOptions.Digest] { hasNoCoding ? digests(in: .contentDigest) : [] }

  /// Whether the bytes of the body are those of the representation.
  var hasNoCoding: Bool {
    self[.contentEncoding].map { $0.trimmingSpaces().lowercased() == "identity" } ?? true
  }

  /// Reads `sha-256=:…:, sha-512=:…:`.
  private func digests(in name: Name) -> [DownloadOptions.Digest] {
    (dictionary(name)?.all ?? []).compactMap { member in
      member.value.item?.value.bytes.flatMap { DownloadOptions.Digest(member.key, $0) }
    }
  }

  /// Reads `SHA-256=…,SHA-512=…`.
  private var olderDigests: [DownloadOptions.Digest] {
    values(of: .digest).flatMap { $0.split(separator: ",") }.compactMap { member in
      guard let (name, hash) = String(member).cut(at: "="),
        let bytes = Data(base64Encoded: String(hash).trimmingSpaces())
      else { return nil }
      return DownloadOptions.Digest(name.trimmingSpaces().lowercased(), bytes)
    }
  }
}

extension DownloadOptions.Digest {
  /// `nil` if the algorithm, whose name is in lower case, isn't supported, or isn't that of a hash
  /// of this length.
  fileprivate init?(_ algorithm: String, _ hash: Data) {
    switch (algorithm, hash.count) {
    case ("sha-256", 32): self.init(.sha256, SecureHash.hexadecimal(hash))
    case ("sha-512", 64): self.init(.sha512, SecureHash.hexadecimal(hash))
    default: return nil
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
