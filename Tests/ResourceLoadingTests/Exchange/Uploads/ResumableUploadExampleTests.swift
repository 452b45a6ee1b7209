import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// The examples of draft-ietf-httpbis-resumable-upload as conversations, and what its rules say
/// beside them. `UploadProtocolTests` has their numbers.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct ResumableUploadExampleTests {
  private typealias Turn = UploadConversation.Turn

  private static let version = "Upload-Draft-Interop-Version"
  private static let created: KeyValuePairs = ["Location": "/uploads/abc", version: "8"]

  /// The request with everything, after which the connection breaks.
  private func brokenCreation(_ path: String = "/project/123/files", size: Int = 1000) -> Turn {
    Turn(
      request: "POST \(path)",
      headers: ["Upload-Complete": "?1", "Upload-Length": "\(size)", Self.version: "8"],
      bytes: 0..<size, interim: [Self.created])
  }

  private func question(_ answer: String?) -> Turn {
    Turn(request: "HEAD /uploads/abc", headers: [Self.version: "8"], answer: answer)
  }

  private func append(
    _ bytes: Range<Int>, isLast: Bool, _ answer: String?, body: String = ""
  ) -> Turn {
    Turn(
      request: "PATCH /uploads/abc",
      headers: [
        "Upload-Complete": isLast ? "?1" : "?0", "Upload-Offset": "\(bytes.lowerBound)",
        "Content-Type": "application/partial-upload", "Content-Length": "\(bytes.count)",
        Self.version: "8",
      ], bytes: bytes, answer: answer, body: body)
  }

  private func play(
    _ turns: [Turn], _ request: Request = .post("/project/123/files"), size: Int = 1000,
    by resuming: UploadResumption = .using(ResumableUploads(interopVersion: 8)),
    _ engine: Engine = .curl
  ) async throws -> Result<Response, LoadError> {
    try await UploadConversation(UploadConversation.content(size), turns)
      .upload(request, by: resuming, engine)
  }

  // Section 3.1.

  @Test func `example 1 - an upload that breaks is asked for and goes on`() async throws {
    let response = try await play([
      brokenCreation(), question("204 No Content\nUpload-Offset: 400"),
      append(400..<1000, isLast: true, "200 OK\nUpload-Complete: ?1", body: "stored"),
    ]).get()

    #expect(response.status == 200)
    #expect(try response.text() == "stored")
  }

  @Test func `example 1 - an upload that can't go on is cancelled`() async throws {
    var creation = brokenCreation()
    creation.interim = [
      ["Location": "/uploads/abc", Self.version: "8", "Upload-Limit": "max-size=5"]
    ]

    let error = try await play([
      creation,
      Turn(request: "DELETE /uploads/abc", headers: [Self.version: "8"], answer: "204 No Content"),
    ]).failure

    #expect(error?.kind == .tooLarge)
  }

  // Section 3.2.

  @Test func `example 2 - an upload goes in parts, and after a break where the server ended`()
    async throws
  {
    let response = try await play(
      [
        Turn(
          request: "OPTIONS /project/123/files",
          answer: """
            204 No Content
            Accept-Patch: application/partial-upload
            Upload-Limit: max-append-size=400
            """),
        Turn(
          request: "POST /project/123/files", headers: ["Upload-Complete": "?0"], bytes: 0..<400,
          answer: "201 Created\nLocation: /uploads/abc"),
        append(400..<800, isLast: false, "204 No Content\nUpload-Complete: ?0"),
        append(800..<1200, isLast: false, nil),
        question("204 No Content\nUpload-Complete: ?0\nUpload-Offset: 1000"),
        append(1000..<1400, isLast: false, "204 No Content\nUpload-Complete: ?0"),
        append(1400..<1500, isLast: true, "200 OK\nUpload-Complete: ?1", body: "stored"),
      ], size: 1500, by: .automatic
    ).get()

    #expect(try response.text() == "stored")
  }

  // Section 4.2.3.

  @Test func `a creation with everything is answered at once`() async throws {
    var creation = brokenCreation()
    creation.headers["Content-Disposition"] = #"inline; filename="file name.jpg""#
    creation.interim = [
      ["Location": "/uploads/abc", Self.version: "8", "Upload-Limit": "max-size=1234567890"],
      ["Upload-Offset": "234", Self.version: "8"],
    ]
    creation.answer = """
      200 OK
      Location: /uploads/abc
      Upload-Limit: max-size=1234567890
      Content-Type: application/json
      """
    creation.body = #"{"attachmentId": "b530ce8ff"}"#
    let conversation = try UploadConversation(UploadConversation.content(1000), [creation])
    var request = Request.post("/project/123/files")
    request.headers["Content-Disposition"] = #"inline; filename="file name.jpg""#

    let response = try await conversation.upload(
      request, by: .using(ResumableUploads(interopVersion: 8))
    ).get()

    #expect(try response.text() == creation.body)
  }

  @Test func `a creation that ends with a 5xx is resumed`() async throws {
    var creation = brokenCreation("/upload")
    creation.answer = "500 Internal Server Error"

    let response = try await play(
      [
        creation,
        question("204 No Content\nUpload-Complete: ?0\nUpload-Offset: 250\nUpload-Length: 1000"),
        append(250..<1000, isLast: true, "201 Created\nUpload-Complete: ?1"),
      ], .post("/upload")
    ).get()

    #expect(response.status == 201)
  }

  @Test func `a creation that isn't allowed is over`() async throws {
    var creation = brokenCreation("/upload-not-allowed")
    (creation.interim, creation.answer) = ([], "405 Method Not Allowed")

    let error = try await play([creation], .post("/upload-not-allowed")).failure

    #expect(error?.response?.status == 405)
  }

  // Section 4.3.3.

  @Test func `an upload that is complete isn't continued`() async throws {
    let response = try await play([
      brokenCreation(),
      question("204 No Content\nUpload-Complete: ?1\nUpload-Offset: 1000\nUpload-Length: 1000"),
    ]).get()

    #expect(response.status == 204)
  }

  // Sections 4.1.3 and 4.4.1.

  @Test func `an upload with all bytes that isn't complete is completed by an empty request`()
    async throws
  {
    let response = try await play([
      brokenCreation(), question("204 No Content\nUpload-Complete: ?0\nUpload-Offset: 1000"),
      append(1000..<1000, isLast: true, "200 OK\nUpload-Complete: ?1", body: "stored"),
    ]).get()

    #expect(try response.text() == "stored")
  }

  @Test(arguments: [422, 500])
  func `an error of the resource after the last byte is the response, and nothing is resumed`(
    _ status: Int
  ) async throws {
    var creation = brokenCreation()
    creation.answer = "\(status) Error\nUpload-Complete: ?1"

    let atOnce = try await play([creation]).failure
    let later = try await play([
      brokenCreation(), question("204 No Content\nUpload-Complete: ?0\nUpload-Offset: 400"),
      append(400..<1000, isLast: true, "\(status) Error\nUpload-Complete: ?1"),
    ]).failure

    #expect(atOnce?.response?.status == Status(rawValue: status))
    #expect(later?.response?.status == Status(rawValue: status))
  }

  // Section 6.

  private static let problem = "https://iana.org/assignments/http-problem-types#"

  @Test func `a mismatching offset is asked for, also where only the problem says it`()
    async throws
  {
    let problem = """
      {"type": "\(Self.problem)mismatching-upload-offset",
      "title": "offset from request does not match offset of resource",
      "expected-offset": 125, "provided-offset": 250}
      """

    let response = try await play([
      brokenCreation(), question("204 No Content\nUpload-Complete: ?0\nUpload-Offset: 250"),
      append(
        250..<1000, isLast: true, "409 Conflict\nContent-Type: application/problem+json",
        body: problem),
      question("204 No Content\nUpload-Complete: ?0\nUpload-Offset: 125"),
      append(125..<1000, isLast: true, "200 OK\nUpload-Complete: ?1", body: "stored"),
    ]).get()

    #expect(try response.text() == "stored")
  }

  @Test(arguments: [
    ("completed-upload", "upload is already completed"),
    ("inconsistent-upload-length", "inconsistent length values for upload"),
  ])
  func `a problem that a repetition can't solve is the error`(
    _ type: String, _ title: String
  ) async throws {
    let error = try await play([
      brokenCreation(), question("204 No Content\nUpload-Complete: ?0\nUpload-Offset: 250"),
      append(
        250..<1000, isLast: true, "400 Bad Request\nContent-Type: application/problem+json",
        body: #"{"type": "\#(Self.problem)\#(type)", "title": "\#(title)"}"#),
    ]).failure

    #expect(error?.response?.status == 400)
    #expect(error?.description.contains(title) == true)
  }

  // Draft 12, which has interop version 9 and tells limits in place of Accept-Patch.

  @Test func `a corrupted beginning ends an upload although it isn't complete`() async throws {
    let error = try await play(
      [
        Turn(
          request: "OPTIONS /upload-gzip",
          answer: "204 No Content\nUpload-Limit: min-size=0, max-append-size=400"),
        Turn(
          request: "POST /upload-gzip",
          headers: ["Upload-Complete": "?0", "Upload-Length": "1000", Self.version: "9"],
          bytes: 0..<400, interim: [["Location": "/uploads/abc", Self.version: "9"]],
          answer: "400 Bad Request\nUpload-Complete: ?1"),
      ], .post("/upload-gzip"), by: .automatic
    ).failure

    #expect(error?.response?.status == 400)
  }

  @Test func `version 9 takes an empty beginning whatever its minimum is`() async throws {
    var rest = append(0..<1000, isLast: true, "200 OK\nUpload-Complete: ?1", body: "stored")
    rest.headers[Self.version] = "9"

    let response = try await play(
      [
        Turn(
          request: "OPTIONS /files",
          answer: "204 No Content\nUpload-Limit: min-size=0, min-append-size=300"),
        Turn(
          request: "POST /files", headers: ["Upload-Complete": "?0", Self.version: "9"],
          answer: "201 Created\nUpload-Complete: ?0\nLocation: /uploads/abc"),
        rest,
      ], .post("/files"), by: .automatic, .urlSession
    ).get()

    #expect(try response.text() == "stored")
  }

  // RFC 9530 section 2: a content digest is that of one message.

  @Test func `a digest of the whole content is sent with the whole content only`() async throws {
    let (name, digest) = ("Content-Digest", "sha-256=:\(Data(count: 32).base64EncodedString()):")
    var request = Request.post("/files")
    request.headers["Content-Digest"] = digest
    request.headers["Content-MD5"] = "Q2hlY2sgSW50ZWdyaXR5IQ=="
    var (whole, question) = (
      brokenCreation("/files"), question("204 No Content\nUpload-Offset: 400")
    )
    var rest = append(400..<1000, isLast: true, "200 OK\nUpload-Complete: ?1")
    whole.headers[name] = digest
    question.headers[name] = .some(nil)
    rest.headers.merge([name: nil, "Content-MD5": nil]) { $1 }
    let parts = [
      Turn(
        request: "OPTIONS /files", headers: [name: nil],
        answer: "204 No Content\nUpload-Limit: max-append-size=600"),
      Turn(
        request: "POST /files",
        headers: ["Upload-Complete": "?0", name: nil, "Content-MD5": nil], bytes: 0..<600,
        answer: "201 Created\nLocation: /uploads/abc\nUpload-Limit: max-append-size=600"),
      Turn(
        request: "PATCH /uploads/abc", headers: [name: nil], bytes: 600..<1000,
        answer: "200 OK\nUpload-Complete: ?1"),
    ]

    let inOne = try await play([whole, question, rest], request).get()
    let inParts = try await play(parts, request, by: .automatic).get()

    #expect(inOne.status == 200 && inParts.status == 200)
  }

  @Test func `a file that is too small to be resumed is sent whole`() async throws {
    let turns = [
      Turn(request: "OPTIONS /files", answer: "204 No Content\nUpload-Limit: min-size=5000"),
      Turn(
        request: "POST /files", headers: ["Upload-Complete": "?1"], bytes: 0..<1000,
        answer: "200 OK", body: "stored"),
    ]

    let response = try await play(turns, .post("/files"), by: .automatic, .urlSession).get()

    #expect(try response.text() == "stored")
  }

  // Section 10.

  @Test func `a server without the protocol gets an upload as usual`() async throws {
    let turns = [
      Turn(request: "OPTIONS /files", answer: "404 Not Found"),
      Turn(
        request: "POST /files", headers: ["Upload-Complete": "?1", "Upload-Length": "1000"],
        bytes: 0..<1000, answer: "200 OK", body: "stored"),
    ]

    #expect(try await play(turns, .post("/files"), by: .automatic).get().text() == "stored")
  }

  @Test func `without interim responses an empty request creates the upload`() async throws {
    let response = try await play(
      [
        Turn(
          request: "OPTIONS /files",
          answer: "204 No Content\nAccept-Patch: text/plain, application/partial-upload"),
        Turn(
          request: "POST /files", headers: ["Upload-Complete": "?0", "Upload-Length": "1000"],
          answer: "201 Created\nLocation: /uploads/abc"),
        append(0..<1000, isLast: true, "200 OK\nUpload-Complete: ?1", body: "stored"),
      ], .post("/files"), by: .automatic, .urlSession
    ).get()

    #expect(try response.text() == "stored")
  }

  @Test func `no request but the last brings fewer bytes than the server takes`() async throws {
    let response = try await play(
      [
        Turn(
          request: "OPTIONS /files",
          answer: """
            204 No Content
            Accept-Patch: application/partial-upload
            Upload-Limit: min-append-size=300
            """),
        Turn(
          request: "POST /files", headers: ["Upload-Complete": "?0"], bytes: 0..<300,
          answer: "201 Created\nLocation: /uploads/abc"),
        append(300..<1000, isLast: true, "200 OK\nUpload-Complete: ?1"),
      ], .post("/files"), by: .automatic, .urlSession
    ).get()

    #expect(response.status == 200)
  }

  @Test func `what describes the whole content isn't said of a part`() async throws {
    let gone: [String: String?] = [
      "Content-Encoding": nil, "Content-Disposition": nil, "If-None-Match": nil,
      "Idempotency-Key": nil, "X-Tenant": "7",
    ]
    var (creation, question) = (brokenCreation(), question("204 No Content\nUpload-Offset: 400"))
    var rest = append(400..<1000, isLast: true, "200 OK\nUpload-Complete: ?1")
    creation.headers["Content-Encoding"] = "gzip"
    creation.headers["Idempotency-Key"] = "1"
    question.headers.merge(gone) { $1 }
    rest.headers.merge(gone) { $1 }
    var request = Request.post("/project/123/files")
    for (name, value) in [
      ("Content-Encoding", "gzip"), ("Content-Disposition", "inline"), ("If-None-Match", "*"),
      ("Idempotency-Key", "1"), ("X-Tenant", "7"),
    ] { request.headers[Headers.Name(rawValue: name)] = value }

    let conversation = try UploadConversation(
      UploadConversation.content(1000), [creation, question, rest])

    #expect(
      try await conversation.upload(request, by: .using(ResumableUploads(interopVersion: 8))).get()
        .status == 200)
  }
}
