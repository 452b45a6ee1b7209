import Foundation
import Trials

@testable import ResourceLoading
@testable import ResourcePrimitives

/// Requests as cURL lines, which a shell of our own reads again.
struct CURLFuzzer: Fuzzer {
  let bounds = Bounds(memory: (constant: 2 << 20, perByte: 400))

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    let pieces = payload.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let take = { (index: Int) in index < pieces.count ? pieces[index] : "a" }
    var request = Request(
      choices.pick([.get, .head, .post, Request.Method(rawValue: take(0))]),
      choices.flip() ? .init(encoded: "https://example.org/" + take(1)) : .init(take(1)))
    request.headers.append(Headers.Name(rawValue: take(2)), take(3))
    if choices.flip() { request.query = [take(4): take(5)] }
    let files = addBody(to: &request, &choices, take)

    let command = request.curlCommand
    claim(
      !command.unicodeScalars.contains(where: \.isUnprintable), "a control character: \(command)")
    guard let words = ShellWords(command).words else {
      return claim(false, "no shell reads \(command)")
    }
    check(words, request, files)
  }

  /// - Returns: The files that cURL may read.
  private func addBody(
    to request: inout Request, _ choices: inout Choices, _ take: (Int) -> String
  ) -> Set<String> {
    let type = MediaType(rawValue: take(6))
    switch choices.pick(6) {
    case 0: request = request.body(.text(take(7), as: type))
    case 1: request = request.body(.form([take(7): take(8)]))
    case 2: request = request.body(.json([take(7): take(8)]))
    case 3:
      let file = URL(filePath: "/tmp/" + take(7))
      request = request.body(.file(file, as: type))
      return [file.path(percentEncoded: false)]
    case 4:
      let file = URL(filePath: "/tmp/" + take(7))
      request = request.body(
        .multipart([
          .field(take(8), take(9)), .file(take(10), file, filename: take(11), as: type),
          .data(take(8), Data(take(9).utf8), filename: take(11), as: type),
          .init(take(9), .text(take(8), as: type)),
        ]))
      return [file.path(percentEncoded: false)]
    default: break
    }
    return []
  }

  private func check(_ words: [String], _ request: Request, _ files: Set<String>) {
    claim(words.first == "curl", "another program")
    let line = CURLLine(words.dropFirst())
    claim(line.isWhole, "an option without its value, or none of ours: \(words)")
    claim(line.urls.count == 1, "\(line.urls.count) URLs: \(words)")
    let others = line.files.subtracting(files).filter { !$0.contains(Secrets.replacement) }
    claim(others.isEmpty, "cURL would read \(others): \(words)")
    let isPlain = !words.contains { $0.contains(Secrets.replacement) }
    claim(line.method ?? "GET" == request.method.rawValue, "another method: \(words)")
    guard isPlain else { return }
    for field in request.headers where field.name.rawValue.isToken && !field.value.isEmpty {
      guard !Secrets.isSecret(name: field.name.rawValue) else { continue }
      claim(
        request.body != nil || line.headers.contains("\(field.name): \(field.value)"),
        "the header \(field) isn't read again: \(words)")
    }
  }
}
