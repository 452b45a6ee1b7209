import Foundation
import ResourceLoading
import ResourceTesting
import Testing

/// The end of a load, and where the server repeats the secret that it received.
struct Ending: Sendable, CustomTestStringConvertible {
  let name: String
  /// The answer to a request with a secret.
  let answer: @Sendable (WireRequest, Secret) -> StubAnswer

  var testDescription: String { name }
}

extension Ending {
  /// Endings whose reports are created in different places.
  static let few = all.filter {
    ["refused, with an echo as text", "a value of another type"].contains($0.name)
      || $0.name.hasPrefix("a failure")
  }

  static let all = [
    Ending(name: "a value") { _, secret in
      // A response alone doesn't know what was sent; there, names and forms identify secrets.
      let headers: Headers = [
        .contentType: "application/json", .setCookie: "sid=\(escaped(secret))",
        .link: "<https://example.org/?token=\(escaped(secret))>; rel=next",
        "X-Session-Token": escaped(secret), "X-Url": "https://a:\(escaped(secret))@b.example/",
      ]
      return .response(headers: headers, body: Data(#"{"number": 1}"#.utf8))
    },
    Ending(name: "refused, with an echo as text") { request, secret in
      .response(status: 403, headers: echo(request, secret, .text), body: text(request, secret))
    },
    Ending(name: "refused, with a problem") { request, secret in
      let problem: JSONValue = [
        "type": .string("https://example.org/?token=\(secret.text)"),
        "title": .string("You sent \(secret.text)"),
        "detail": .string(String(decoding: text(request, secret), as: UTF8.self)),
        "instance": .string("/a?api_key=\(secret.text)"),
        "extra": ["password": .string(secret.text), "a": .string(secret.text)],
      ]
      return .response(
        status: 422, headers: [.contentType: "application/problem+json"], body: json(problem))
    },
    Ending(name: "refused, with a message") { _, secret in
      let body = json([
        "error": ["message": .string("bad key \(secret.text), \(secret.encodings[0])")]
      ])
      return .response(status: 400, headers: [.contentType: "application/json"], body: body)
    },
    Ending(name: "refused, with a web page") { request, secret in
      let page = "<html><title>\(secret.text)</title><input name='csrf' value='\(secret.text)'>"
      let body = Data((page + "<p>" + secret.encodings.joined(separator: "<br>")).utf8)
      return .response(status: 502, headers: [.contentType: "text/html"], body: body)
    },
    Ending(name: "a value of another type") { _, secret in
      let body = json([
        "token": .string(secret.text), "number": .string(secret.text),
        "a": .array(secret.encodings.map(JSONValue.string)),
      ])
      return .response(headers: [.contentType: "application/json"], body: body)
    },
    Ending(name: "broken JSON") { _, secret in
      let body = Data(#"{"password": "\#(secret.text)", "number": \#(secret.text)}"#.utf8)
      return .response(headers: [.contentType: "application/json"], body: body)
    },
    Ending(name: "errors of GraphQL") { _, secret in
      let message: JSONValue = .string("bad \(secret.text)")
      let errors: JSONValue = [
        "errors": [["message": message, "path": ["a", .string(secret.text)]]]
      ]
      return .response(headers: [.contentType: "application/json"], body: json(errors))
    },
    Ending(name: "a redirect") { request, secret in
      guard request.url.path() != "/moved" else {
        return .response(status: 404, headers: echo(request, secret, .text))
      }
      let location = "https://me:\(escaped(secret))@other.example/moved?token=\(escaped(secret))"
      return .response(status: 302, headers: [.location: location])
    },
    Ending(name: "too many redirects") { request, secret in
      .response(status: 302, headers: [.location: "/a?session=\(escaped(secret))"])
    },
    Ending(name: "a new cookie") { _, secret in
      .response(
        status: 401, headers: [.setCookie: "sid=\(escaped(secret))", .wwwAuthenticate: "Bearer"])
    },
    Ending(name: "a failure of the connection that names the URL") { request, secret in
      let reason = "no route to \(request.url.absoluteString) for \(secret.text)"
      return .error(LoadError(.connection, reason, advice: "don't send \(secret.text)"))
    },
    Ending(name: "an error of the platform that names the URL") { request, _ in
      let info: [String: Any] = [
        NSURLErrorFailingURLErrorKey: request.url,
        NSLocalizedDescriptionKey: "can't load \(request.url.absoluteString)",
      ]
      return .error(URLError(.cannotConnectToHost, userInfo: info))
    },
  ]

  /// Everything that the server was sent, and the secret in other encodings.
  private static func text(_ request: WireRequest, _ secret: Secret) -> Data {
    let body = (try? request.body?.data()) ?? Data()
    let lines =
      ["\(request.method.rawValue) \(request.url.absoluteString)"]
      + request.headers.map { "\($0.name): \($0.value)" }
      + [String(decoding: body, as: UTF8.self), secret.text] + secret.encodings
    return Data(lines.joined(separator: "\n").utf8)
  }

  /// The headers of a response that repeat what was sent.
  private static func echo(
    _ request: WireRequest, _ secret: Secret, _ mediaType: MediaType
  ) -> Headers {
    let url = request.url.absoluteString
    return [
      .contentType: mediaType.rawValue, .link: "<\(url)>; rel=next", "X-Url": url,
      "X-Echo": escaped(secret), "X-Base64": secret.encodings[0],
      .serverTiming: "db;desc=\"\(escaped(secret))\"", .warning: "299 - \"\(escaped(secret))\"",
      "Content-Location": "/a?token=\(escaped(secret))",
    ]
  }

  private static func escaped(_ secret: Secret) -> String {
    secret.text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret.text
  }

  private static func json(_ value: JSONValue) -> Data {
    (try? JSONEncoder().encode(value)) ?? Data()
  }
}
