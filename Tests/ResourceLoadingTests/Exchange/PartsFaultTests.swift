import Foundation
import ResourceLoading
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

/// Servers that answer requests for parts wrongly.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PartsFaultTests {
  private let directory = TemporaryDirectory()
  private var file: URL { directory.url.appending(path: "file.bin") }

  /// What has to come of it.
  enum Outcome: Sendable, Hashable {
    /// The file is the content.
    case whole
    /// The file is the other content.
    case other
    /// There is no file, and an error of this kind.
    case error(LoadError.Kind)
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var outcome: Outcome
    var change: @Sendable (inout RangeServer.Answer, ReceivedRequest, Int) -> Void

    init(
      _ name: String, _ outcome: Outcome,
      _ change: @escaping @Sendable (inout RangeServer.Answer, ReceivedRequest, Int) -> Void
    ) {
      (self.name, self.outcome, self.change) = (name, outcome, change)
    }

    var testDescription: String { name }
  }

  private static func whole(_ answer: inout RangeServer.Answer) {
    answer.status = 200
    answer.body = RangeServer.content
    answer["Content-Range"] = nil
  }

  private static func other(
    _ answer: inout RangeServer.Answer, _ request: ReceivedRequest, _ tag: String = #""v2""#
  ) {
    answer = RangeServer.answer(request, RangeServer.otherContent, tag: tag)
  }

  static let faults: [Fault] = [
    Fault("ranges are ignored") { answer, _, _ in whole(&answer) },
    Fault("ranges are ignored from the third request on") { answer, _, number in
      if number > 2 { whole(&answer) }
    },
    Fault("206 without Content-Range") { answer, _, _ in
      if answer.status == 206 { answer["Content-Range"] = nil }
    },
    Fault("206 without Content-Range later") { answer, _, number in
      if answer.status == 206, number > 2 { answer["Content-Range"] = nil }
    },
    Fault("206 that begins elsewhere") { answer, _, number in
      guard answer.status == 206, number > 1, answer.range.lowerBound > 0 else { return }
      let (first, last) = (answer.range.lowerBound - 1, answer.range.upperBound - 2)
      answer["Content-Range"] = "bytes \(first)-\(last)/\(RangeServer.content.count)"
      answer.body = RangeServer.content[first...last]
    },
    Fault("206 with more than was asked for") { answer, _, number in
      guard answer.status == 206, number > 1 else { return }
      let first = answer.range.lowerBound
      answer["Content-Range"] = "bytes \(first)-5999999/6000000"
      answer.body = RangeServer.content[first...]
    },
    Fault("206 with less than was asked for") { answer, _, _ in
      guard answer.status == 206, answer.range.count > 100_000 else { return }
      let first = answer.range.lowerBound
      answer["Content-Range"] = "bytes \(first)-\(first + 99_999)/6000000"
      answer.body = RangeServer.content[first..<first + 100_000]
    },
    Fault("206 of another total", .error(.connection)) { answer, _, number in
      guard answer.status == 206, number > 1 else { return }
      let range = answer.range
      answer["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/6000001"
    },
    Fault("206 of an unknown total") { answer, _, _ in
      guard answer.status == 206 else { return }
      answer["Content-Range"] = "bytes \(answer.range.lowerBound)-\(answer.range.upperBound - 1)/*"
    },
    Fault("206 up to the greatest number") { answer, _, _ in
      guard answer.status == 206 else { return }
      answer["Content-Range"] = "bytes \(answer.range.lowerBound)-9223372036854775807/*"
    },
    Fault("206 with a rubbish Content-Range") { answer, _, _ in
      if answer.status == 206 { answer["Content-Range"] = "bytes 0-x/6000000" }
    },
    Fault("206 in multipart/byteranges") { answer, _, _ in
      guard answer.status == 206 else { return }
      answer["Content-Range"] = nil
      answer["Content-Type"] = "multipart/byteranges; boundary=x"
    },
    Fault("206 whose Content-Length differs from its range") { answer, _, number in
      guard answer.status == 206, number > 1 else { return }
      answer["Content-Length"] = "\(answer.body.count - 1)"
      answer.body = answer.body.dropLast()
    },
    Fault("no validator") { answer, _, _ in answer["ETag"] = nil },
    Fault("no validator later") { answer, _, number in
      if number > 2, answer.status == 206 { answer["ETag"] = nil }
    },
    Fault("a weak validator") { answer, _, _ in answer["ETag"] = #"W/"v1""# },
    Fault("a validator that becomes weak") { answer, _, number in
      if number > 2, answer.status == 206 { answer["ETag"] = #"W/"v1""# }
    },
    Fault("content that changes once", .other) { answer, request, number in
      if number > 3 { other(&answer, request) }
    },
    Fault("content that changes once, whose size stays and If-Range is ignored", .other) {
      answer, request, number in
      guard number > 3 else { return }
      other(&answer, request)
      guard answer.status == 200, let field = request.header("Range") else { return }
      let range = field.dropFirst(6).split(separator: "-").compactMap { Int($0) }
      answer.status = 206
      answer.body = RangeServer.otherContent[range[0]...range[1]]
      answer["Content-Range"] = "bytes \(range[0])-\(range[1])/6000000"
    },
    Fault("content that changes with each request", .error(.connection)) {
      answer, request, number in
      other(&answer, request, "\"v\(number)\"")
    },
    Fault("content that changes, announced by its digest alone", .error(.connection)) {
      answer, _, number in
      let hash = Data(SecureHash.sha256([UInt8(truncatingIfNeeded: number)])).base64EncodedString()
      answer["Repr-Digest"] = "sha-256=:\(hash):"
    },
    Fault("a truncated part") { answer, _, number in if number == 2 { answer.limit = 200_000 } },
    Fault("a truncated first part") { answer, _, number in if number == 1 { answer.limit = 100 } },
    Fault("parts that always end after 70,000 bytes") { answer, _, number in
      if number > 1 { answer.limit = 70_000 }
    },
    Fault("parts that never bring a byte", .error(.connection)) { answer, _, number in
      if number > 1 { answer.limit = 0 }
    },
    Fault("a length that lies upwards") { answer, _, number in
      if number == 3 { answer["Content-Length"] = "9223372036854775000" }
    },
    Fault("more bytes than announced, in chunks") { answer, _, number in
      guard number == 3, answer.status == 206 else { return }
      answer["Transfer-Encoding"] = "chunked"
      var body = Data("\(String(answer.body.count + 5, radix: 16))\r\n".utf8)
      body += answer.body + Data("extra\r\n0\r\n\r\n".utf8)
      answer.body = body
    },
    Fault("416 to all parts but the first") { answer, _, number in
      if number > 1, answer.status == 206 { answer.status = 416 }
    },
    Fault("416 to the first part") { answer, _, number in
      if number == 1 { answer.status = 416 }
    },
    Fault("416 once") { answer, _, number in if number == 3 { answer.status = 416 } },
    Fault("400 to ranges") { answer, request, _ in
      if request.header("Range") != nil { answer.status = 400 }
    },
    Fault("501 to ranges") { answer, request, _ in
      if request.header("Range") != nil { answer.status = 501 }
    },
    Fault("503 in between") { answer, _, number in
      if number == 3 { (answer.status, answer.body) = (503, Data("busy".utf8)) }
    },
    Fault("503 to more than one at a time") { answer, _, number in
      if number > 2, number % 2 == 0 { (answer.status, answer.body) = (503, Data()) }
    },
    Fault("503 forever", .error(.status)) { answer, _, number in
      if number > 1 { (answer.status, answer.body) = (503, Data()) }
    },
    Fault("404 in between", .error(.status)) { answer, _, number in
      if number > 2 { (answer.status, answer.body) = (404, Data()) }
    },
    Fault("404 at once", .error(.status)) { answer, _, _ in
      (answer.status, answer.body) = (404, Data())
    },
    Fault("204 to a part") { answer, _, number in
      if number == 3 { (answer.status, answer.body) = (204, Data()) }
    },
    Fault("gzip in the way") { answer, _, _ in
      if answer.status == 206 { answer["Content-Encoding"] = "x-unknown" }
    },
    Fault("a wrong Repr-Digest", .error(.digest)) { answer, _, _ in
      answer["Repr-Digest"] = "sha-256=:\(Data(count: 32).base64EncodedString()):"
    },
    Fault("a wrong Digest", .error(.digest)) { answer, _, _ in
      answer["Digest"] = "SHA-256=\(Data(count: 32).base64EncodedString())"
    },
    Fault("a Repr-Digest that is no hash") { answer, _, _ in
      answer["Repr-Digest"] = "sha-256=:AAAA:, md5=:AAAA:, sha-512=1"
    },
    Fault("a wrong Content-Digest once") { answer, _, number in
      if number == 3 {
        answer["Content-Digest"] = "sha-256=:\(Data(count: 32).base64EncodedString()):"
      }
    },
    Fault("a wrong Content-Digest always", .error(.digest)) { answer, _, number in
      if number > 1 {
        answer["Content-Digest"] = "sha-256=:\(Data(count: 32).base64EncodedString()):"
      }
    },
    Fault("right digests of all kinds") { answer, _, number in
      let whole = Data(RangeServer.hash).base64EncodedString()
      let part = number < 3 ? Data(SecureHash.sha256(answer.body)).base64EncodedString() : ""
      answer["Repr-Digest"] = "sha-256=:\(whole):"
      answer["Digest"] = "unixsum=1,SHA-256=\(whole)"
      if number < 3 { answer["Content-Digest"] = "sha-256=:\(part):" }
    },
    Fault("a redirect in between") { answer, request, number in
      guard number == 3 else { return }
      (answer.status, answer.body) = (307, Data())
      answer["Location"] = "/elsewhere"
    },
    Fault("a connection that is closed without an answer") { answer, _, number in
      if number == 3 { (answer.status, answer.limit) = (206, -1) }
    },
  ]

  @Test(arguments: faults, Engine.allCases)
  func `no fault of a server makes a wrong file`(_ fault: Fault, _ engine: Engine) async throws {
    let server = try RangeServer.start(fault.change)
    defer { server.stop() }

    let result: Result<Download, any Error>
    do {
      result = .success(
        try await Client(engine).download(.get(server.url("/")), to: file) { $0.parts = 3 })
    } catch { result = .failure(error) }

    switch fault.outcome {
    case .whole:
      #expect(try result.get().size == RangeServer.content.count)
      #expect(try Data(contentsOf: file) == RangeServer.content)
      #expect(try directory.names == ["file.bin"])
    case .other:
      #expect(throws: Never.self) { try result.get() }
      #expect(try Data(contentsOf: file) == RangeServer.otherContent)
      #expect(try directory.names == ["file.bin"])
    case .error(let kind):
      let error = #expect(throws: LoadError.self) { try result.get() }
      #expect(error?.kind == kind)
      #expect(try !directory.names.contains("file.bin"))
    }
  }
}

extension PartsFaultTests.Fault {
  /// A fault that the file survives.
  init(
    _ name: String,
    _ change: @escaping @Sendable (inout RangeServer.Answer, ReceivedRequest, Int) -> Void
  ) {
    self.init(name, .whole, change)
  }
}
