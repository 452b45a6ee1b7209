import Foundation

extension Request {
  /// The request as a cURL command that can be pasted into a shell once the secrets are filled in.
  ///
  /// User info, secret headers, and the values of secret names in the query, in forms and in JSON are
  /// replaced. Forms and JSON of up to 4 KiB are shown, files are named, of all else only the size is told.
  public var curlCommand: String {
    CURLCommand(method: method, url: url, headers: headers, body: CURLBody(self), Redactor(self))
      .text
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
    words += redactor.redact(headers).flatMap { ["-H", Self.quoted("\($0.name): \($0.value)")] }
    for (option, value) in body?.words ?? [] {
      words += [option, Self.quoted(redactor.scrub(value))]
    }
    words.append(Self.quoted(redactor.redact(url: url.absoluteString)))
  }

  /// The command on one line, but for line breaks in the body.
  var text: String { words.joined(separator: " ") }

  /// A word quoted for a POSIX shell.
  private static func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
