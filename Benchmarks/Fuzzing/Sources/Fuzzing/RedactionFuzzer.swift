import Foundation
import Trials

@testable import ResourceLoading
@testable import ResourcePrimitives

/// Secrets that a request holds, planted in everything that a server or the platform says about it.
struct RedactionFuzzer: Fuzzer {
  let bounds = Bounds(memory: (constant: 4 << 20, perByte: 400))

  /// What nothing else may hold. Some have what ends a value in one syntax or another.
  private static let secrets = [
    "Sw0rdf1shXyzzy", "Sw0rd;f1sh&Xyz,zy", "Sw0rd/f1+sh==", "Sw0rd f1sh\"Xy'zzy",
    "Sw0rd<f1sh>#X}zz]y",
  ]
  /// A part that tells that there was one of them.
  private static let parts = ["Sw0rd", "f1", "zzy", "Xyz"]

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    let secret = choices.pick(Self.secrets)
    guard let request = request(secret, &choices), let wire = try? WireRequest(request) else {
      return claim(false, "the request can't be sent")
    }
    let text = planted(secret, in: payload)
    // What tells the secret apart mustn't come from elsewhere, nor from what is left of it in a
    // header.
    let others = [payload, payload.filter { $0 >= 0x20 }].map {
      String(decoding: $0, as: UTF8.self)
    }
    guard !Self.parts.contains(where: { part in others.contains { $0.contains(part) } }) else {
      return
    }
    let headers: Headers = [
      "X-Echo": String(decoding: text.filter { $0 >= 0x20 }, as: UTF8.self),
      .contentType: choices.pick(["application/json", "text/html", "application/problem+json"]),
    ]
    let response = Response(
      url: wire.url, status: choices.pick([Status.ok, .unauthorized, 500]),
      headers: headers, body: Data(text))

    let error = explained(response, request, wire, choices.pick(3))
    var shown: [String] = [error.description, error.localizedDescription, error.curlCommand ?? ""]
    shown += [error.problem.map { String(describing: $0) } ?? "", response.description]
    shown += [
      wire.curlCommand(secretNames: request.options.secretNames), request.curlCommand,
      request.description, wire.description,
    ]
    shown.append(String(describing: error.response?.headers ?? [:]))
    for text in shown { check(text, secret) }
    let description = error.description.unicodeScalars
    claim(!description.contains { $0 != "\n" && $0.isUnprintable }, "a control character")
    checkNames(text)
  }

  /// The payload with the secret in place of the first bytes of 0xFF, which no UTF-8 has.
  private func planted(_ secret: String, in payload: [UInt8]) -> [UInt8] {
    var (text, count) = ([] as [UInt8], 0)
    for byte in payload {
      if byte == 0xFF, count < 64 {
        text += secret.utf8
        count += 1
      } else {
        text.append(byte)
      }
    }
    return text
  }

  private func request(_ secret: String, _ choices: inout Choices) -> Request? {
    guard let url = URL(string: "https://example.org/a") else { return nil }
    var request = Request.get(url)
    switch choices.pick(7) {
    case 0: request.headers[.authorization] = "Bearer \(secret)"
    // A semicolon would end it.
    case 1 where !secret.contains(";"): request.headers[.cookie] = "a=1; sid=\(secret)"
    case 2: request.headers["X-Api-Key"] = secret
    case 3: request.query = ["access_token": secret]
    case 4: request.headers["Proxy-Authorization"] = "Bearer \(secret)"
    case 5: request = Request.post(url).json(["password": secret])
    default:
      request.headers["X-Tenant"] = secret
      request.options.secretNames = ["x-tenant"]
    }
    return request
  }

  private func explained(
    _ response: Response, _ request: Request, _ wire: WireRequest, _ kind: Int
  ) -> LoadError {
    var evidence = ErrorContext(request)
    evidence.begin(
      wire,
      RequestIdentity(
        sending: wire, to: wire.url, signed: false, connection: nil,
        secretNames: request.options.secretNames, redirects: 0))
    evidence.end(.success(ResponseHead(status: response.status, headers: response.headers)))
    evidence.receive(response)
    let text = String(decoding: response.body, as: UTF8.self)
    var error: any Error = LoadError(.connection, text, advice: text)
    switch kind {
    case 0: error = LoadError(status: response)
    case 1: break
    default:
      do {
        _ = try Resource<[String: Int]>(json: request).parser(response)
      } catch let failure { error = failure }
    }
    guard let explained = evidence.explain(error) as? LoadError else { fatalError("no LoadError") }
    return explained
  }

  private func check(_ shown: String, _ secret: String) {
    claim(!shown.contains(secret), "the secret \(secret) is shown: \(shown)")
    for part in Self.parts where secret.contains(part) {
      claim(!shown.contains(part), "a part of \(secret) is shown: \(shown)")
    }
  }

  /// What names give away is found alone, once and in order.
  private func checkNames(_ text: [UInt8]) {
    let findings = SecretText.findings(in: text)
    for (one, next) in zip(findings, findings.dropFirst()) {
      claim(one.range.upperBound <= next.range.lowerBound, "findings overlap")
    }
    claim(findings.allSatisfy { $0.range.upperBound <= text.count }, "a finding beyond the end")
    _ = String(decoding: text, as: UTF8.self).redactedURL
  }
}
