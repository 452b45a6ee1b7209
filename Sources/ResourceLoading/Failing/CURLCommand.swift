import Foundation

extension Request {
  /// The request as a cURL command that can be pasted into a shell once the secrets are filled in. Nothing in it
  /// makes cURL read another file than the request names.
  ///
  /// User info, secret headers, and the values of secret names in the query, in forms and in JSON are
  /// replaced. Forms and JSON of up to 4 KiB are shown, files are named, of all else only the size is told.
  public var curlCommand: String {
    CURLCommand(method: method, url: url, headers: headers, body: CURLBody(self), Redactor(self))
      .text
  }
}

extension WireRequest {
  /// The request as a cURL command, without secrets.
  func curlCommand(secretNames: Set<String>? = nil) -> String {
    var request = Request(method, url: url, headers: headers)
    request.options.secretNames = secretNames
    let body = CURLBody(self)
    return CURLCommand(
      method: method, url: url, headers: headers, body: body, Redactor(request)
    ).text
  }
}

/// A request in cURL's words.
struct CURLCommand {
  private var words = ["curl"]

  init(
    method: Request.Method, url: URL, headers: Headers, body: CURLBody?, _ redactor: Redactor
  ) {
    switch method {
    case .get: break
    case .head: words.append("--head")
    default: words += ["-X", Self.quoted(method.rawValue)]
    }
    var headers = headers
    let isFramedByCURL = body?.isMultipart ?? false
    if isFramedByCURL, headers[.contentType].map({ $0.hasPrefix("multipart/form-data") }) ?? false {
      headers[.contentType] = nil
    } else if let mediaType = body?.mediaType, headers[.contentType] == nil, !isFramedByCURL {
      headers.append(.contentType, mediaType.rawValue)
    }
    let known = redactor.known
    for field in redactor.redact(headers, known) { words += ["-H", Self.quoted(field.forCURL)] }
    for (option, value) in body?.words ?? [] {
      words += [option, Self.quoted(redactor.redact(value, known))]
    }
    words += Self.words(of: redactor.redact(url: url.absoluteString, known))
  }

  /// The command on one line.
  var text: String { words.joined(separator: " ") }

  /// A URL, which cURL is to take for neither an option nor a pattern.
  private static func words(of url: String) -> [String] {
    let isPattern = url.utf8.contains { "[]{}".utf8.contains($0) }
    return (isPattern ? ["--globoff"] : []) + (url.hasPrefix("-") ? ["--url"] : []) + [quoted(url)]
  }

  /// A word quoted for a POSIX shell; one with control characters for those that know `$'…'` (POSIX 2024, bash,
  /// zsh).
  private static func quoted(_ word: String) -> String {
    guard word.unicodeScalars.contains(where: \.isUnprintable) else {
      return "'" + word.replacing("'", with: "'\\''") + "'"
    }
    return word.unicodeScalars.reduce(into: "$'") { text, scalar in
      switch scalar {
      case "\n": text += "\\n"
      case "'", "\\": text += "\\" + String(scalar)
      case _ where scalar.isUnprintable:
        for byte in String(scalar).utf8 {
          text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
      default: text.unicodeScalars.append(scalar)
      }
    } + "'"
  }
}

extension Headers.Field {
  /// In cURL's spelling, where an `@` at the beginning would name a file, and a colon without a value would take
  /// the field out.
  fileprivate var forCURL: String {
    let name =
      name.rawValue.isToken ? name.rawValue : PercentEncoding.unreserved.encode(name.rawValue)
    return value.isEmpty ? "\(name);" : "\(name): \(value)"
  }
}
