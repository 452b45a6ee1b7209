import Foundation

extension Request {
  /// The request as a cURL command that can be pasted into a shell once the secrets are filled in. User
  /// info, secret headers and secret query values are replaced; of a body only the size is told.
  public var curlCommand: String {
    let redactor = Redactor(self)
    var words = ["curl"]
    switch method {
    case .get: break
    case .head: words.append("--head")
    default: words += ["-X", Self.quoted(method.rawValue)]
    }
    words += redactor.redact(headers).flatMap { ["-H", Self.quoted("\($0.name): \($0.value)")] }
    if let body, headers[.contentType] == nil {
      words += ["-H", Self.quoted("Content-Type: \(body.mediaType.rawValue)")]
    }
    if let size = try? body?.wireBody(encoder: JSONEncoder()).length {
      words += ["--data-binary", Self.quoted("<\(size) bytes>")]
    }
    words.append(Self.quoted(redactor.redact(url: url.absoluteString)))
    return words.joined(separator: " ")
  }

  /// A word quoted for a POSIX shell.
  private static func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
