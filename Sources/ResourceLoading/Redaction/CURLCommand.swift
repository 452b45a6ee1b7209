import Foundation
import ResourceJSON
import ResourcePrimitives

extension Request {
  /// The request as a cURL command that can be pasted into a shell once the secrets are filled in.
  /// Nothing in it makes cURL read another file than the request names.
  ///
  /// User info, secret headers, and the values of secret names in the query, in forms and in JSON
  /// are replaced. Forms and JSON of up to 4 KiB are shown, files are named, and of anything else
  /// only the size is shown.
  public var curlCommand: String {
    let redactor = Redactor(self)
    let known = redactor.known
    var words = ["curl"] + method.curlWords
    for field in redactor.redact(curlHeaders, known) {
      words += ["-H", field.curlText.quotedForShell]
    }
    for (option, value) in body?.curlWords(as: headers.mediaType, CURLText(redactor, known))
      ?? []
    {
      words += [option, value.quotedForShell]
    }
    words += Self.curlWords(of: redactor.redact(url: url.absoluteString, known))
    return words.joined(separator: " ")
  }

  /// The headers without that of a multipart body, which cURL frames itself, and with the type of
  /// any other body.
  private var curlHeaders: Headers {
    var headers = headers
    if case .multipart = body?.content {
      if headers[.contentType]?.begins(with: "multipart/form-data") == true {
        headers[.contentType] = nil
      }
    } else if let body, headers[.contentType] == nil {
      headers.append(.contentType, body.contentType.rawValue)
    }
    return headers
  }

  /// A URL that cURL must read as neither an option nor a pattern.
  private static func curlWords(of url: String) -> [String] {
    let isPattern = url.utf8.contains { "[]{}".utf8.contains($0) }
    return (isPattern ? ["--globoff"] : []) + (url.begins(with: "-") ? ["--url"] : [])
      + [url.quotedForShell]
  }
}

extension WireRequest {
  /// The request as a cURL command, without secrets.
  func curlCommand(secretNames: Set<String>? = nil) -> String {
    var request = Request(method, url: url, headers: headers, body: body?.shown)
    request.options.secretNames = secretNames
    return request.curlCommand
  }
}

extension WireBody {
  /// The shown body: its parts or file, or otherwise its bytes.
  fileprivate var shown: Request.Body {
    switch source.body?.content {
    case .multipart(let multipart): .multipart(multipart)
    case .file(let file): .file(file, as: source.body?.mediaType)
    default: .pieces(self, as: source.body?.mediaType)
    }
  }
}

extension Request.Method {
  fileprivate var curlWords: [String] {
    switch self {
    case .get: []
    case .head: ["--head"]
    default: ["-X", rawValue.quotedForShell]
    }
  }
}

extension Headers.Field {
  /// In cURL's spelling, where an `@` at the beginning would name a file, and a colon without a
  /// value would remove the field.
  fileprivate var curlText: String {
    let name =
      name.rawValue.isToken ? name.rawValue : PercentEncoding.unreserved.encode(name.rawValue)
    return value.isEmpty ? "\(name);" : "\(name): \(value)"
  }
}

extension String {
  /// A word quoted for a POSIX shell; one with control characters for those that know `$'…'` (POSIX
  /// 2024, bash, zsh).
  fileprivate var quotedForShell: String {
    guard unicodeScalars.contains(where: \.isUnprintable) else {
      return "'" + replacing(["'": "'\\''"]) + "'"
    }
    return unicodeScalars.reduce(into: "$'") { text, scalar in
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

  /// A text in quotes, as cURL reads it in the value of an option.
  fileprivate var quotedForCURL: String { "\"" + replacing(["\\": "\\\\", "\"": "\\\""]) + "\"" }
}

private struct CURLText {
  private let redactor: Redactor
  private let known: KnownSecrets

  init(_ redactor: Redactor, _ known: KnownSecrets) {
    (self.redactor, self.known) = (redactor, known)
  }

  func callAsFunction(_ text: String) -> String { redactor.redact(text, known) }

  func isSecret(_ name: String) -> Bool { redactor.isSecret(name) }
}

extension Request.Body {
  /// The options that send the body, with their values, not yet quoted for a shell.
  ///
  /// - Parameters:
  ///   - mediaType: The `Content-Type` of the request; `nil` for the body's own.
  ///   - redact: Replaces the secrets of a text. It never gets one with the signs that mean
  ///     something to cURL, for what it leaves might mean something else.
  fileprivate func curlWords(
    as mediaType: MediaType?, _ redact: CURLText
  ) -> [(option: String, value: String)] {
    switch content {
    case .multipart(let multipart): multipart.parts.map { $0.curlWords(redact) }
    case .file(let file): [("--data-binary", "@" + redact(file.path(percentEncoded: false)))]
    default:
      if let text = curlText(as: mediaType ?? contentType) {
        [("--data-raw", redact(text))]
      } else {
        [("--data-binary", "<\(curlSize)>")]
      }
    }
  }

  /// The bytes of a body that is short enough to be shown.
  fileprivate var curlData: Data? {
    let body = try? wireBody(encoder: JSONEncoder())
    return body.flatMap { $0.length <= 4 << 10 ? try? $0.data() : nil }
  }

  /// The text of a short body in which names tell what is secret.
  fileprivate func curlText(as mediaType: MediaType) -> String? {
    let essence = mediaType.essence
    let isJSON = essence == "application/json" || essence.hasSuffix("+json")
    guard isJSON || essence == MediaType.form.rawValue, let data = curlData else { return nil }
    guard isJSON else { return String(decoding: data, as: UTF8.self) }
    return JSONSyntaxError(in: data) == nil ? String(bytes: data, encoding: .utf8) : nil
  }

  fileprivate var curlSize: String {
    (try? wireBody(encoder: JSONEncoder()).length).map { "\($0) bytes" }
      ?? "what can't be encoded"
  }
}

extension Multipart.Part {
  /// The part as an option of cURL, which reads quoted content, and a file after an `@`.
  fileprivate func curlWords(_ redact: CURLText) -> (option: String, value: String) {
    let value = redact.isSecret(name) ? Secrets.replacement : shownText.map { redact($0) }
    // cURL ends the name at the first "=", and reads the rest as content, or as a file's name.
    let name = redact(name).replacing(["=": "%3D"])
    if !isTyped, headers.isEmpty, filename == nil {
      return ("--form-string", "\(name)=\(value ?? "<\(body.curlSize)>")")
    }
    let file = filename.map { ";filename=\(redact($0).quotedForCURL)" } ?? ""
    return ("-F", "\(name)=\(content(value, redact))\(file)\(isTyped ? type(redact) : "")")
  }

  /// The media type, unless cURL would take a part of it for an option of its own, some of which
  /// name files.
  private func type(_ redact: CURLText) -> String {
    let type = redact(headers[.contentType] ?? body.contentType.rawValue)
    let options = ["filename", "headers", "encoder", "type"]
    let isSafe = type.parts(between: ";", omittingEmpty: false).dropFirst().allSatisfy {
      parameter in
      !options.contains { parameter.trimmingSpaces().lowercased().begins(with: $0) }
    }
    return isSafe && !type.utf8.contains { "\",\\".utf8.contains($0) } ? ";type=\(type)" : ""
  }

  private func content(_ shown: String?, _ redact: CURLText) -> String {
    if case .file(let file) = body.content {
      return "@" + redact(file.path(percentEncoded: false)).quotedForCURL
    }
    return shown?.quotedForCURL ?? "@<\(body.curlSize)>"
  }

  /// A text that can be shown: that of a field, of JSON and of a form.
  private var shownText: String? {
    if case .file = body.content { return nil }
    return isTyped
      ? body.curlText(as: body.contentType)
      : body.curlData.flatMap { String(bytes: $0, encoding: .utf8) }
  }
}
