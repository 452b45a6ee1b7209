import Foundation
import ResourceJSON

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
    for (option, value) in body?.words({ redactor.redact($0, known) }) ?? [] {
      words += [option, Self.quoted(value)]
    }
    words += Self.words(of: redactor.redact(url: url.absoluteString, known))
  }

  /// The command on one line.
  var text: String { words.joined(separator: " ") }

  /// A URL, which cURL is to take for neither an option nor a pattern.
  private static func words(of url: String) -> [String] {
    let isPattern = url.utf8.contains { "[]{}".utf8.contains($0) }
    return (isPattern ? ["--globoff"] : []) + (url.begins(with: "-") ? ["--url"] : []) + [
      quoted(url)
    ]
  }

  /// A word quoted for a POSIX shell; one with control characters for those that know `$'…'` (POSIX 2024, bash,
  /// zsh).
  private static func quoted(_ word: String) -> String {
    guard word.unicodeScalars.contains(where: \.isUnprintable) else {
      return "'" + word.replacing(["'": "'\\''"]) + "'"
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

/// A body in cURL's words, without the secrets that its names give away.
struct CURLBody {
  private let content: Content
  /// The `Content-Type` unless the headers have one.
  let mediaType: MediaType?
  /// Whether cURL puts the parts together itself.
  var isMultipart: Bool {
    if case .parts = content { true } else { false }
  }

  private enum Content {
    case parts([Multipart.Part])
    case file(URL)
    case text(option: String, value: String)
  }

  /// The body of a request that was described.
  init?(_ request: Request) {
    guard let body = request.body else { return nil }
    self.init(body, mediaType: request.headers[.contentType].map(MediaType.init(rawValue:))) {
      try body.wireBody(encoder: JSONEncoder())
    }
  }

  /// The body of a request that is ready to be sent.
  init?(_ request: WireRequest) {
    guard let body = request.body else { return nil }
    let mediaType = request.headers[.contentType].map(MediaType.init(rawValue:))
    self.init(body.source.body ?? .data(Data(), as: mediaType ?? .data), mediaType: mediaType) {
      body
    }
  }

  private init(_ body: Request.Body, mediaType: MediaType?, _ ready: () throws -> WireBody) {
    self.mediaType = body.contentType
    switch body.content {
    case .multipart(let multipart): content = .parts(multipart.parts)
    case .file(let file): content = .file(file)
    default:
      let (option, value) = Self.words(for: ready, as: mediaType ?? body.contentType)
      content = .text(option: option, value: value)
    }
  }

  /// The options with their values, not yet quoted for a shell.
  ///
  /// - Parameter redact: Replaces the secrets of a text. It never gets one with the signs that mean something to
  ///   cURL, for what it leaves might mean something else.
  func words(_ redact: (String) -> String) -> [(option: String, value: String)] {
    switch content {
    case .parts(let parts): parts.map { $0.curlWords(redact) }
    case .file(let file): [("--data-binary", "@" + redact(file.path(percentEncoded: false)))]
    case .text(let option, let value): [(option, redact(value))]
    }
  }
}

extension CURLBody {
  /// The most bytes that are shown.
  private static let longest = 4 << 10

  private static func words(
    for ready: () throws -> WireBody, as mediaType: MediaType
  ) -> (option: String, value: String) {
    guard let body = try? ready() else { return ("--data-binary", "<what can't be encoded>") }
    guard body.length <= longest, let data = try? body.data(), let text = text(data, as: mediaType)
    else { return ("--data-binary", "<\(body.length) bytes>") }
    return ("--data-raw", text)
  }

  /// The text of a body in which names tell what is secret.
  static func text(_ data: Data, as mediaType: MediaType) -> String? {
    switch mediaType.essence {
    case MediaType.form.rawValue: SecretText.redact(String(decoding: data, as: UTF8.self))
    case let essence where essence == "application/json" || essence.hasSuffix("+json"):
      isJSON(data) ? String(bytes: data, encoding: .utf8).map { SecretText.redact($0) } : nil
    default: nil
    }
  }

  private static func isJSON(_ data: Data) -> Bool { JSONSyntaxError(in: data) == nil }
}

extension Multipart.Part {
  /// The part as an option of cURL's, which reads a quoted content and a file behind an `@`.
  fileprivate func curlWords(_ redact: (String) -> String) -> (option: String, value: String) {
    let isSecret = Secrets.isSecret(name: name)
    let value = isSecret ? Secrets.replacement : shownText.map(redact)
    // cURL takes the name to end at the first "=", and what is behind it for content, or for a file's name.
    let name = redact(name).replacing(["=": "%3D"])
    if !isTyped, headers.isEmpty, filename == nil {
      return ("--form-string", "\(name)=\(value ?? "<\(size)>")")
    }
    let file = filename.map { ";filename=\(Self.quoted(redact($0)))" } ?? ""
    return ("-F", "\(name)=\(content(value, redact))\(file)\(isTyped ? type(redact) : "")")
  }

  /// The media type, unless cURL would take a part of it for an option of its own, some of which name files.
  private func type(_ redact: (String) -> String) -> String {
    let type = redact(headers[.contentType] ?? body.contentType.rawValue)
    let options = ["filename", "headers", "encoder", "type"]
    let isSafe = type.parts(between: ";", omittingEmpty: false).dropFirst().allSatisfy {
      parameter in
      !options.contains { parameter.trimmingSpaces().lowercased().begins(with: $0) }
    }
    return isSafe && !type.utf8.contains { "\",\\".utf8.contains($0) } ? ";type=\(type)" : ""
  }

  private func content(_ shown: String?, _ redact: (String) -> String) -> String {
    if case .file(let file) = body.content {
      return "@" + Self.quoted(redact(file.path(percentEncoded: false)))
    }
    return shown.map(Self.quoted) ?? "@<\(size)>"
  }

  /// A text that can be shown: that of a field, of JSON and of a form.
  private var shownText: String? {
    if case .file = body.content { return nil }
    guard let data = try? body.data(), data.count <= 4 << 10 else { return nil }
    return isTyped
      ? CURLBody.text(data, as: body.contentType) : String(bytes: data, encoding: .utf8)
  }

  private var size: String {
    (try? body.wireBody(encoder: JSONEncoder()).length).map { "\($0) bytes" }
      ?? "what can't be encoded"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing(["\\": "\\\\", "\"": "\\\""]) + "\""
  }
}
