import Foundation
import Trials

@testable import ResourceLoading
@testable import ResourcePrimitives

/// Heads of responses, as libcurl hands them out, and what is read from their fields.
struct HeadFuzzer: Fuzzer {
  let bounds = Bounds()

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    let method: Request.Method = choices.flip() ? .head : .get
    var text = payload
    if choices.flip() {
      text = Array("HTTP/1.1 200 OK\r\n".utf8) + payload + Array("\r\n\r\n".utf8)
    }
    guard let head = read(text, method) else { return }

    check(head, method, ofSize: text.count)
    let again = Array(written(head).utf8)
    if again.count < ResponseHeadReader.maximumSize {
      claim(read(again, method) == head, "what is written isn't read again: \(head.headers)")
    }
    use(head, method, choices)
  }

  private func read(_ text: [UInt8], _ method: Request.Method) -> ResponseHead? {
    var reader = ResponseHeadReader(for: method)
    var head: ResponseHead?
    var rest = text[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
      let line = rest[..<end]
      rest = rest[end...]
      do {
        let section = try line.withUnsafeBytes { try reader.read($0) }
        guard case .final(let read) = section else { continue }
        claim(head == nil, "two heads")
        head = read
      } catch {
        claim("\(error)".utf8.count < 1000, "a long reason")
        return head
      }
    }
    claim(reader.isComplete == (head != nil), "a head is complete or isn't")
    return head
  }

  private func written(_ head: ResponseHead) -> String {
    let status = "00\(head.status.rawValue)".suffix(3)
    return head.headers.reduce("HTTP/1.1 \(status) x\r\n") { $0 + "\($1.name): \($1.value)\r\n" }
      + "\r\n"
  }

  private func check(_ head: ResponseHead, _ method: Request.Method, ofSize size: Int) {
    claim(head.headers.count <= ResponseHeadReader.maximumCount, "too many fields")
    claim((0...999).contains(head.status.rawValue), "no status: \(head.status.rawValue)")
    let bytes = head.headers.reduce(0) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count }
    claim(bytes <= 2 * size, "more than came")
    for field in head.headers {
      let text = field.name.rawValue + field.value
      claim(!text.utf8.contains { $0 == 0x0D || $0 == 0x0A }, "a line end in a field")
      claim(!field.name.rawValue.isEmpty, "a field without a name")
    }
    guard method != .head, head.status.hasBody else { return }
    let lengths = head.headers.values(of: .contentLength)
    claim(lengths.count <= 1, "two lengths")
    claim(
      lengths.allSatisfy { Int64($0) != nil && $0.utf8.allSatisfy { (48...57).contains($0) } },
      "no length: \(lengths)")
    claim(lengths.isEmpty || head.headers[.transferEncoding] == nil, "two framings")
  }

  /// Has everything read that is read from fields.
  private func use(_ head: ResponseHead, _ method: Request.Method, _ choices: Choices) {
    var choices = choices
    guard let url = URL(string: choices.pick(["https://example.org/a?b", "http://a.b.co.uk"]))
    else {
      return
    }
    let body = Data(choices.pick(["", "text \u{E9}", "{\"a\": 1}"]).utf8)
    let response = Response(
      url: url, method: method, status: head.status, headers: head.headers, body: body)
    _ = response.mediaType?.essence
    _ = response.mediaType?.parameter("charset")
    _ = try? response.text()
    _ = response.link("next")
    _ = head.bodySize
    for name in ["Date", "Retry-After", "Last-Modified", "Expires"] as [Headers.Name] {
      _ = head.headers[name].map { HTTPDate($0) }
    }
    let strict = StrictTransportSecurity()
    strict.note(head.headers, from: url)
    claim(strict.learned.allSatisfy { $0.host == url.host() }, "learned of another host")
    let printed = "\(response) \(head.headers)"
    claim(
      !printed.unicodeScalars.contains(where: \.isUnprintable), "a control character: \(printed)")
  }
}
