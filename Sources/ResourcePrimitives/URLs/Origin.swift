package import Foundation

/// An origin: the scheme, host and port of a URL (RFC 6454 section 4), case folded and with the
/// scheme's default port.
package struct Origin: Hashable, Sendable {
  /// In lower case; empty if there is none.
  package let scheme: String
  /// In lower case; empty if there is none.
  package let host: String
  package let port: Int

  package init(scheme: String, host: String, port: Int) {
    (self.scheme, self.host, self.port) = (scheme, host, port)
  }
}

extension Origin: CustomStringConvertible {
  /// The origin as a URL without a path, its port included: `https://example.org:443`.
  package var description: String { "\(scheme)://\(host):\(port)" }
}

extension URL {
  /// The origin of an absolute URL.
  package var origin: Origin {
    if let origin = plainText({ $0.origin }) { return origin }
    let scheme = scheme?.lowercased() ?? ""
    return Origin(scheme: scheme, host: foldedHost ?? "", port: port ?? Origin.port(of: scheme))
  }

  /// The host in lower case as it is looked up: with letters beyond ASCII in the form of RFC 3492,
  /// which `host()` undoes, and without the brackets of an address; `nil` if there is none.
  package var foldedHost: String? {
    if let origin = plainText({ $0.origin }) { return origin.host }
    let host = URLComponents(url: self, resolvingAgainstBaseURL: true)?.encodedHost?.lowercased()
    guard let host, host.hasPrefix("["), host.hasSuffix("]") else { return host }
    return String(host.dropFirst().dropLast())
  }

  package var isSecure: Bool { scheme?.lowercased() == "https" }

  /// Returns whether two URLs have the same origin (RFC 6454 section 5).
  package func isSameOrigin(as other: URL) -> Bool { origin == other.origin }

  /// Whether this URL is so simple that it needn't be parsed: `http` or `https` in lower case, a
  /// name or IPv4 address, no port out of range, no user info and no fragment, no step such as
  /// `..`, and only visible ASCII.
  package var isPlain: Bool { plainText { $0.isPlainTarget } ?? false }

  /// Whether this URL is plain, has a path, and its host no capital letters, so that its text
  /// identifies the resource.
  package var isNormalized: Bool {
    plainText { $0.hasPath && !$0.hasCapitalHost && $0.isPlainTarget } ?? false
  }

  /// The absolute text that identifies the resource: without fragment and user info, with a path,
  /// and with scheme and host in lower case.
  package var normalizedText: String {
    // Most URLs have this form already, and parsing one costs more than a lookup in a cache.
    guard !isNormalized else { return absoluteString }
    guard var parts = URLComponents(url: absoluteURL, resolvingAgainstBaseURL: true) else {
      return absoluteURL.absoluteString
    }
    parts.removeUnsentParts()
    // An address in brackets stays as it is: setting what isn't a host, such as one without them,
    // ends the process.
    if let host = parts.encodedHost, !host.hasPrefix("[") { parts.encodedHost = host.lowercased() }
    if parts.percentEncodedPath.isEmpty { parts.percentEncodedPath = "/" }
    return parts.string ?? absoluteURL.absoluteString
  }

  /// Evaluates the text of an absolute URL whose scheme, host and port are plain; `nil` for other
  /// URLs.
  private func plainText<Value>(_ body: (PlainURLText) -> Value) -> Value? {
    guard baseURL == nil else { return nil }
    var text = absoluteString
    return text.withUTF8 { unsafe PlainURLText($0).map(body) }
  }
}

extension URLComponents {
  /// Removes user info and fragment, which aren't sent, and folds the case of the scheme.
  package mutating func removeUnsentParts() {
    scheme = scheme?.lowercased()
    user = nil
    password = nil
    fragment = nil
  }
}

extension Origin {
  fileprivate static func port(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }
}

/// The text of an absolute `http` or `https` URL with a name or an IPv4 address for its host.
///
/// It lives as long as the closure that is given the bytes, and reads none beyond their number.
@safe private struct PlainURLText {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let scheme: String
  private let host: Range<Int>
  private let port: Int?
  /// Where the path or the query begins, or the end.
  private let target: Int

  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    let isSecure = unsafe bytes.starts(with: Self.https)
    guard unsafe isSecure || bytes.starts(with: Self.http) else { return nil }
    let start = isSecure ? 8 : 7
    var (end, port): (Int, Int?) = (start, nil)
    while end < bytes.count, unsafe PercentEncoding.unreserved.keeps(bytes[end]) { end += 1 }
    guard end > start else { return nil }
    unsafe (self.bytes, scheme, host) = (bytes, isSecure ? "https" : "http", start..<end)
    if end < bytes.count, unsafe bytes[end] == UInt8(ascii: ":") {
      (end, port) = (end + 1, 0)
      while end < bytes.count, unsafe bytes[end].isASCIIDigit, let digits = port, digits < 65_536 {
        (end, port) = unsafe (end + 1, digits * 10 + Int(bytes[end] & 0x0F))
      }
      guard let port, (1...65_535).contains(port) else { return nil }
    }
    (self.port, target) = (port, end)
    guard
      unsafe end == bytes.count || bytes[end] == UInt8(ascii: "/")
        || bytes[end] == UInt8(ascii: "?")
    else { return nil }
  }
}

extension PlainURLText {
  private static let http = Array("http://".utf8)
  private static let https = Array("https://".utf8)

  var origin: Origin {
    let host = unsafe String(decoding: bytes[host], as: UTF8.self)
    return Origin(
      scheme: scheme, host: hasCapitalHost ? host.lowercased() : host,
      port: port ?? Origin.port(of: scheme))
  }

  var hasCapitalHost: Bool {
    unsafe bytes[host].contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }

  var hasPath: Bool { unsafe target < bytes.count && bytes[target] == UInt8(ascii: "/") }

  /// Whether path and query need no second look.
  var isPlainTarget: Bool {
    var last: UInt8 = 0
    for index in unsafe target..<bytes.count {
      let byte = unsafe bytes[index]
      guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: "#") else { return false }
      // A step, or the beginning of an escaped one.
      if last == UInt8(ascii: "/"), byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") {
        return false
      }
      last = byte
    }
    return true
  }
}
