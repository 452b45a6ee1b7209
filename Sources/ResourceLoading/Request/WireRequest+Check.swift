import Foundation
import ResourcePrimitives

extension WireRequest {
  /// Returns headers that can be sent, without those that frame a body. The first `count` fields
  /// have been checked.
  static func checked(_ headers: Headers, after count: Int = 0) throws -> Headers {
    var isClean = true
    for field in headers.dropFirst(count) {
      guard field.name.rawValue.isToken else {
        throw invalid("the header name \(quoted(field.name.rawValue)) isn't a token")
      }
      guard field.value.isFieldValue else {
        throw invalid(
          "the value of the header \(field.name) holds a line break or another control character",
          advice: "Encode the value, or leave these characters out")
      }
      if field.name == .contentLength || field.name == .transferEncoding
        || field.value.isSurroundedBySpace
      {
        isClean = false
      }
    }
    return isClean ? headers : headers.cleaned
  }

  static func invalid(_ reason: String, advice: String? = nil) -> LoadError {
    LoadError(.invalidRequest, reason, advice: advice)
  }

  static func quoted(_ text: String) -> String { "\"" + text.printable + "\"" }
}

extension Headers {
  /// The headers without spaces around values, and without those that frame a body.
  fileprivate var cleaned: Headers {
    Headers(
      filter { $0.name != .contentLength && $0.name != .transferEncoding }
        .map { field in
          var field = field
          field.value = field.value.trimmingSpaces()
          return field
        })
  }
}

extension WireRequest {
  /// The address of a request, and the credential of its user info.
  static func target(of request: Request) throws -> (url: URL, credential: String?) {
    if case .path(let path) = request.address {
      try path.check()
      throw invalid(
        "the request has only a path, \(path)",
        advice: "Give the request an absolute URL, or load it with a client that has a base URL")
    }
    let url = request.url
    guard !url.isPlain else { return (url, nil) }
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      throw invalid("the URL can't be read")
    }
    let credential = parts.basicCredential
    parts.removeUnsentParts()
    guard let url = parts.url else { throw invalid("the URL can't be read") }
    return (url, credential)
  }

  /// Returns a URL without segments such as `..`, which engines resolve in different ways.
  static func checked(_ url: URL) throws -> URL {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      throw invalid("the URL can't be read")
    }
    guard let scheme = parts.scheme, ["http", "https"].contains(scheme) else {
      throw invalid(
        "the scheme \(parts.scheme.map { quoted($0) } ?? "is missing, so it") can't be loaded",
        advice: "Use an http or https URL")
    }
    guard let host = parts.encodedHost, !host.isEmpty else {
      throw invalid("the URL has no host", advice: "Write it as https://host/path")
    }
    guard host.isHost else {
      throw invalid("the host \(quoted(host)) holds an escaped delimiter or control character")
    }
    if let port = parts.port, !(1...65535).contains(port) {
      throw invalid("the port \(port) is out of range", advice: "Use 1 to 65535")
    }
    guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
      throw invalid("the URL has user info or a fragment", advice: "Set Authorization instead")
    }
    parts.percentEncodedPath = URLReference.removingDots(parts.percentEncodedPath)
    guard let url = parts.url, url.absoluteString.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw invalid("the URL can't be read") }
    return url
  }
}

extension String {
  /// Whether this is a token of RFC 9110 section 5.6.2.
  package var isToken: Bool {
    !isEmpty
      && hasOnlyBytes { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
          true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// Whether this can stand as a field value (RFC 9110 section 5.5): no control character but the
  /// tab.
  var isFieldValue: Bool { hasOnlyBytes { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }

  /// Whether this host, escapes and all, has one end for all who read it: unescaped, none of its
  /// letters is a delimiter of URLs or a control character.
  fileprivate var isHost: Bool {
    // The zone of an IPv6 address follows an escaped percent sign (RFC 6874).
    guard utf8.contains(UInt8(ascii: "%")), !utf8.contains(UInt8(ascii: ":")) else { return true }
    return percentDecoded?.utf8.allSatisfy { byte in
      byte > 0x20 && byte != 0x7F && !"/\\?#@:[]%<>".utf8.contains(byte)
    } ?? false
  }

  /// Whether the text begins or ends with a space or a tab.
  fileprivate var isSurroundedBySpace: Bool {
    guard let first = utf8.first, let last = utf8.last else { return false }
    return first == 0x20 || first == 0x09 || last == 0x20 || last == 0x09
  }
}
