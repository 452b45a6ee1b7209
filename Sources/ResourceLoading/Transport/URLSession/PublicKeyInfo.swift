#if URLSession || !os(Linux)
  import Foundation
  import ResourcePrimitives

  /// The public key of a certificate, for comparing it with pins.
  enum PublicKeyInfo {
    /// Returns the SHA-256 of the SubjectPublicKeyInfo of a certificate in DER (RFC 5280 section
    /// 4.1), in base64; `nil` if it isn't X.509.
    static func pin(of certificate: Data) -> String? {
      guard let info = bytes(of: Array(certificate)) else { return nil }
      return Data(SecureHash.sha256(info)).base64EncodedString()
    }

    /// Returns the SubjectPublicKeyInfo. In the first part of a certificate these precede it: the
    /// optional version, the serial number, the algorithm, the issuer, the validity and the subject.
    private static func bytes(of certificate: [UInt8]) -> ArraySlice<UInt8>? {
      var outer = DERReader(certificate[...])
      guard var whole = outer.read(tag: 0x30).map({ DERReader($0.content) }),
        var signed = whole.read(tag: 0x30).map({ DERReader($0.content) })
      else { return nil }
      _ = signed.read(tag: 0xA0)
      for tag: UInt8 in [0x02, 0x30, 0x30, 0x30, 0x30] {
        guard signed.read(tag: tag) != nil else { return nil }
      }
      return signed.read(tag: 0x30)?.whole
    }
  }

  /// Reads values of DER one after another (X.690 section 8.1).
  struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Reads the next value if it has a tag, and returns all of its bytes, and those of its content.
    /// For another tag or a truncated value, it returns `nil` and reads nothing.
    mutating func read(tag: UInt8) -> (whole: ArraySlice<UInt8>, content: ArraySlice<UInt8>)? {
      guard rest.first == tag, let short = rest.dropFirst().first else { return nil }
      var (start, length) = (rest.startIndex + 2, Int(short))
      if short >= 0x80 {
        // No certificate is larger than 16 MiB.
        let digits = rest[start...].prefix(Int(short & 0x7F))
        guard (1...3).contains(Int(short & 0x7F)), digits.count == Int(short & 0x7F) else {
          return nil
        }
        length = digits.reduce(0) { $0 << 8 | Int($1) }
        start += digits.count
      }
      guard length <= rest.endIndex - start else { return nil }
      defer { rest = rest[(start + length)...] }
      return (rest[..<(start + length)], rest[start..<(start + length)])
    }
  }

  /// Reads PEM (RFC 7468).
  enum PEMText {
    /// Returns the certificates in a text, in DER. One that isn't base64 is left out.
    static func certificates(in text: Data) -> [Data] {
      let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
      var certificates: [Data] = []
      var current: String?
      for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
        if line.hasPrefix(begin) {
          current = ""
        } else if line.hasPrefix(end) {
          if let data = current.flatMap({ Data(base64Encoded: $0) }), !data.isEmpty {
            certificates.append(data)
          }
          current = nil
        } else {
          current?.append(contentsOf: line.filter { !$0.isWhitespace })
        }
      }
      return certificates
    }
  }
#endif
