import Foundation
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// The examples of tus 1.0.0 as conversations. Those of the extension concatenation aren't here:
/// files are uploaded in one piece.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct TusExampleTests {
  private typealias Turn = UploadConversation.Turn

  private static let path = "/files/24e533e02ec3bc40c387f1a0e460e216"
  private static let tus: [String: String?] = ["Tus-Resumable": "1.0.0"]

  private func options(_ extensions: String, _ more: String = "") -> Turn {
    Turn(
      request: "OPTIONS /files", headers: ["Tus-Resumable": nil],
      answer: """
        204 No Content
        Tus-Resumable: 1.0.0
        Tus-Version: 1.0.0,0.2.2,0.2.1
        Tus-Max-Size: 1073741824
        Tus-Extension: \(extensions)
        """ + more)
  }

  private func creation(
    _ answer: String = "201 Created", of size: Int = 100, bytes: Range<Int> = 0..<0
  ) -> Turn {
    Turn(
      request: "POST /files",
      headers: [
        "Tus-Resumable": "1.0.0", "Upload-Length": "\(size)", "Content-Length": "\(bytes.count)",
        "Content-Type": bytes.isEmpty ? nil : "application/offset+octet-stream",
      ], bytes: bytes,
      answer: answer + "\nLocation: \(Self.path)\nTus-Resumable: 1.0.0")
  }

  private func append(_ bytes: Range<Int>, _ answer: String?) -> Turn {
    Turn(
      request: "PATCH \(Self.path)",
      headers: [
        "Tus-Resumable": "1.0.0", "Upload-Offset": "\(bytes.lowerBound)",
        "Content-Type": "application/offset+octet-stream", "Content-Length": "\(bytes.count)",
      ], bytes: bytes, answer: answer.map { $0 + "\nTus-Resumable: 1.0.0" })
  }

  private func play(
    _ turns: [Turn], _ content: Data = UploadConversation.content(100),
    by resuming: UploadResumption = .automatic,
    _ configure: (inout UploadOptions) -> Void = { _ in }
  ) async throws -> Result<Response, LoadError> {
    try await UploadConversation(content, turns).upload(
      .post("/files"), by: resuming, .curl, configure)
  }

  @Test func `an upload of 100 bytes is created, breaks after 70, and goes on`() async throws {
    var creation = creation()
    creation.headers["Upload-Metadata"] =
      "filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,is_confidential"

    let response = try await play([
      options("creation,expiration"), creation, append(0..<100, nil),
      Turn(
        request: "HEAD \(Self.path)", headers: Self.tus,
        answer: "200 OK\nUpload-Offset: 70\nTus-Resumable: 1.0.0"),
      append(70..<100, "204 No Content\nUpload-Offset: 100"),
    ]) {
      $0.metadata = ["filename": "world_domination_plan.pdf", "is_confidential": ""]
    }.get()

    #expect(response.status == 204)
  }

  @Test func `a creation with content goes on after what the server took`() async throws {
    var strategy = TusUploads()
    strategy.extensions = ["creation", "creation-with-upload"]
    strategy.createsWithContent = true

    let response = try await play(
      [
        creation("201 Created\nUpload-Offset: 5", bytes: 0..<100),
        append(5..<100, "204 No Content\nUpload-Offset: 100"),
      ], by: .using(strategy)
    ).get()

    #expect(response.status == 204)
  }

  @Test func `an upload is complete with its last byte, whenever it would expire`() async throws {
    let answer = """
      204 No Content
      Upload-Expires: Wed, 25 Jun 2014 16:00:00 GMT
      Upload-Offset: 100
      """

    let response = try await play([creation(), append(0..<100, answer)], by: .tus).get()

    #expect(response.status == 204)
  }

  @Test func `a checksum goes with the content`() async throws {
    var append = append(0..<11, "204 No Content\nUpload-Offset: 11")
    append.headers["Upload-Checksum"] = "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0="

    let response = try await play(
      [
        options("creation,checksum", "\nTus-Checksum-Algorithm: md5,sha1,crc32"),
        creation(of: 11), append,
      ], Data("hello world".utf8)
    ) { $0.checksContent = true }.get()

    #expect(response.status == 204)
  }

  @Test func `an upload that can't go on is terminated`() async throws {
    let error = try await play(
      [
        creation(), append(0..<100, "204 No Content\nUpload-Offset: 101"),
        Turn(request: "DELETE \(Self.path)", headers: Self.tus, answer: "204 No Content"),
      ], by: .tus
    ).failure

    #expect(error?.kind == .connection)
  }

  @Test func `another version of tus is an error`() async throws {
    let refused = Turn(
      request: "POST /files", headers: Self.tus,
      answer: "412 Precondition Failed\nTus-Version: 0.2.2")

    #expect(try await play([refused], by: .tus).failure?.response?.status == 412)
  }

  @Test func `an empty file is complete when it is created`() async throws {
    #expect(try await play([creation(of: 0)], Data(), by: .tus).get().status == 201)
  }

  @Test(arguments: [
    ([" ,": "x"], nil), (["é": "x"], nil), (["a b": "1", "ab": "2"], "ab MQ=="),
    (["name\u{7F}": ""], "name"),
  ])
  func `names of metadata are unique and not empty`(
    _ metadata: [String: String], _ field: String?
  ) {
    var state = UploadState(length: 1)
    state.metadata = metadata

    let sent = TusUploads().request(for: .create(0..<0), of: state, like: .post("/files"))

    #expect(sent.headers["Upload-Metadata"] == field)
  }
}
