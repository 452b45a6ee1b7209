import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// The examples of Google's documentation as conversations.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct SessionExampleTests {
  private typealias Turn = UploadConversation.Turn

  private static let size = 2_000_000
  private static let target = "/upload/drive/v3/files?uploadType=resumable"
  private static let session = target + "&upload_id=xa298sd_sdlkj2"

  private func creation(_ answer: String = "200 OK\nLocation: \(session)") -> Turn {
    Turn(
      request: "POST \(Self.target)",
      headers: [
        "X-Upload-Content-Type": "image/jpeg", "X-Upload-Content-Length": "2000000",
        "Content-Length": "0",
      ], answer: answer)
  }

  private func put(_ bytes: Range<Int>, _ answer: String?) -> Turn {
    Turn(
      request: "PUT \(Self.session)",
      headers: [
        "Content-Range": "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/2000000",
        "Content-Length": "\(bytes.count)",
      ], bytes: bytes, answer: answer)
  }

  private func play(
    _ turns: [Turn], _ strategy: SessionUploads = SessionUploads()
  ) async throws -> Result<Response, LoadError> {
    var request = Request.post("/upload/drive/v3/files")
    request.query = ["uploadType": "resumable"]
    request.headers[.contentType] = "image/jpeg"
    return try await UploadConversation(UploadConversation.content(Self.size), turns)
      .upload(request, by: .using(strategy))
  }

  @Test func `an upload that fails is asked for and goes on`() async throws {
    let response = try await play([
      creation(), put(0..<Self.size, "503 Service Unavailable"),
      Turn(
        request: "PUT \(Self.session)",
        headers: ["Content-Range": "bytes */2000000", "Content-Length": "0"],
        answer: "308 Resume Incomplete\nRange: bytes=0-42"),
      put(43..<Self.size, "201 Created"),
    ]).get()

    #expect(response.status == 201)
  }

  @Test func `an upload goes in multiples of 256 KiB if that is wanted`() async throws {
    let response = try await play(
      [
        creation(), put(0..<524_288, "308 Resume Incomplete\nRange: bytes=0-524287"),
        put(524_288..<1_048_576, "308 Resume Incomplete\nRange: bytes=0-786431"),
        put(786_432..<1_310_720, "308 Resume Incomplete\nRange: bytes=0-1310719"),
        put(1_310_720..<1_835_008, "308 Resume Incomplete\nRange: bytes=0-1835007"),
        put(1_835_008..<Self.size, "200 OK"),
      ], SessionUploads(maximumRequestSize: 524_288)
    ).get()

    #expect(response.status == 200)
  }

  @Test func `a session that is unknown begins anew`() async throws {
    let response = try await play([
      creation(), put(0..<Self.size, "308 Resume Incomplete\nRange: bytes=0-262143"),
      put(262_144..<Self.size, "308 Resume Incomplete\nRange: bytes=0-262143"),
      put(262_144..<Self.size, "404 Not Found"),
    ]).failure

    // All bytes have been sent, so the server may have stored them.
    #expect(response?.kind == .connection)
  }

  @Test func `a redirect isn't taken for the beginning of a session`() async throws {
    let error = try await play([creation("308 Permanent Redirect\nLocation: /elsewhere")]).failure

    #expect(error?.kind == .connection)
  }
}
