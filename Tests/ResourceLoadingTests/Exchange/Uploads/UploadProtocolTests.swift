import Foundation
import Testing

@testable import ResourceLoading

/// The examples of the protocols' texts, and what their rules say beside them.
struct UploadProtocolTests {
  private let ietf = ResumableUploads(interopVersion: 8)
  private let upload = URL(string: "https://example.com/upload/b530ce8ff")!

  private func request(_ method: Request.Method = .post, _ path: String) -> Request {
    Request(method, url: URL(string: "https://example.com\(path)")!)
  }

  private func answer(
    _ step: UploadStep, _ state: UploadState, _ status: Status, _ headers: Headers = [:]
  ) -> UploadAnswer {
    ietf.answer(to: step, of: state, status: status, headers: headers)
  }

  // draft-ietf-httpbis-resumable-upload, sections 4.2 to 4.5 and 6; what the examples leave out is the
  // interop version, which appendix B demands.

  @Test func `the IETF's example of a creation with everything`() {
    let state = UploadState(length: 123_456_789)
    let step = UploadStep.create(ietf.firstRange(of: state, isCareful: false))

    let sent = ietf.request(for: step, of: state, like: request(.post, "/project/123/files"))

    #expect(step == .create(0..<123_456_789))
    #expect(sent.method == .post)
    #expect(sent.headers["Upload-Length"] == "123456789")
    #expect(sent.headers["Upload-Complete"] == "?1")
    #expect(sent.headers["Upload-Draft-Interop-Version"] == "8")
    let first = ietf.report(
      status: 104,
      headers: [
        "Location": "https://example.com/upload/b530ce8ff", "Upload-Limit": "max-size=1234567890",
        "Upload-Draft-Interop-Version": "8",
      ])
    #expect(first?.location == "https://example.com/upload/b530ce8ff")
    #expect(first?.limits?.maximumSize == 1_234_567_890)
    let second = ietf.report(
      status: 104, headers: ["Upload-Offset": "23456789", "Upload-Draft-Interop-Version": "8"])
    #expect(second == UploadReport(offset: 23_456_789))
    let final: Headers = [
      "Location": "https://example.com/upload/b530ce8ff", "Upload-Limit": "max-size=1234567890",
      "Content-Type": "application/json",
    ]
    #expect(answer(step, state, 200, final) == .complete)
  }

  @Test func `the IETF's example of a creation with a part`() {
    var state = UploadState(length: 123_456_789)
    state.limits.maximumRequestSize = 23_456_789
    let step = UploadStep.create(ietf.firstRange(of: state, isCareful: false))

    let sent = ietf.request(for: step, of: state, like: request(.post, "/upload"))

    #expect(step == .create(0..<23_456_789))
    #expect(sent.headers["Upload-Complete"] == "?0")
    #expect(sent.headers["Upload-Length"] == "123456789")
    let answer = answer(
      step, state, 201,
      [
        "Location": "https://example.com/upload/3fd4994ad", "Upload-Limit": "max-size=1234567890",
      ])
    var limits = UploadLimits()
    limits.maximumSize = 1_234_567_890
    #expect(
      answer
        == .incomplete(
          UploadReport(
            location: "https://example.com/upload/3fd4994ad", offset: 23_456_789, limits: limits)))
  }

  @Test func `the IETF's examples of a creation that fails`() {
    let state = UploadState(length: 123_456_789)
    let step = UploadStep.create(0..<123_456_789)

    #expect(answer(step, state, 500) == .interrupted(UploadReport()))
    #expect(answer(step, state, 405) == .refused(UploadReport()))
  }

  @Test func `the IETF's examples of a question for the offset`() {
    let state = UploadState(length: 100_000_000, url: upload)

    let sent = ietf.request(for: .findOffset, of: state, like: request(.post, "/files"))

    #expect(sent.method == .head)
    let incomplete = answer(
      .findOffset, state, 204,
      [
        "Upload-Complete": "?0", "Upload-Offset": "25000000", "Upload-Length": "100000000",
        "Upload-Limit": "max-age=3600", "Cache-Control": "no-store",
      ])
    #expect(
      incomplete
        == .incomplete(
          UploadReport(
            offset: 25_000_000, limits: UploadLimits(), expiry: .age(.seconds(3600)))))
    let complete = answer(
      .findOffset, state, 204,
      [
        "Upload-Complete": "?1", "Upload-Offset": "100000000", "Upload-Length": "100000000",
        "Cache-Control": "no-store",
      ])
    #expect(complete == .complete)
  }

  @Test func `the IETF's examples of an append`() {
    let state = UploadState(length: 1_234_567_890, url: upload)
    let part = UploadStep.append(20_000_000..<23_456_789)
    let rest = UploadStep.append(1_230_000_000..<1_234_567_890)

    let first = ietf.request(for: part, of: state, like: request(.post, "/files"))
    let last = ietf.request(for: rest, of: state, like: request(.post, "/files"))

    #expect(first.method == .patch)
    #expect(first.headers["Upload-Complete"] == "?0")
    #expect(first.headers["Upload-Offset"] == "20000000")
    #expect(first.headers[.contentType] == "application/partial-upload")
    #expect(
      ietf.report(
        status: 104, headers: ["Upload-Offset": "21728394", "Upload-Draft-Interop-Version": "8"])?
        .offset == 21_728_394)
    #expect(
      answer(part, state, 204, ["Upload-Complete": "?0"])
        == .incomplete(UploadReport(offset: 23_456_789)))
    #expect(last.headers["Upload-Complete"] == "?1")
    #expect(last.headers["Upload-Offset"] == "1230000000")
    #expect(answer(rest, state, 200, ["Upload-Complete": "?1"]) == .complete)
    // An error of the resource, not of the transfer.
    #expect(answer(rest, state, 422, ["Upload-Complete": "?1"]) == .complete)
  }

  @Test func `the IETF's examples of a cancellation and of a wrong offset`() {
    let state = UploadState(length: 50_000_000, url: upload)
    let step = UploadStep.append(25_000_000..<50_000_000)

    #expect(
      ietf.request(for: .cancel, of: state, like: request(.post, "/files")).method == .delete)
    #expect(
      answer(step, state, 409, ["Upload-Offset": "12500000"])
        == .interrupted(UploadReport(offset: 12_500_000)))
    #expect(answer(step, state, 400) == .refused(UploadReport()))
  }

  @Test(arguments: [
    "x", "-1", "1.5", "\"1\"", "?1", "1, 2", "", "1234567890123456", "1;A=b", "1;",
  ])
  func `an offset that is no integer is ignored`(_ text: String) {
    #expect(UploadReport(upload: ["Upload-Offset": text]).offset == nil)
  }

  @Test func `a limit of an unknown name is ignored, and a wrong one spoils all`() {
    let some = UploadReport(upload: ["Upload-Limit": "max-append-size=5;a=b, x=?1, y"])
    let quoted = UploadReport(
      upload: ["Upload-Limit": #"note="a, max-append-size=9", max-append-size=5"#])
    let wrong = UploadReport(upload: ["Upload-Limit": "max-size=10, max-append-size=?1"])
    let malformed = UploadReport(upload: ["Upload-Limit": "max-size=10 max-append-size=5"])

    #expect(some.limits?.maximumRequestSize == 5)
    #expect(quoted.limits?.maximumRequestSize == 5)
    #expect(wrong.limits == nil)
    #expect(malformed.limits == nil)
  }

  @Test(arguments: [nil, "7", "9", "x"])
  func `a 104 of another version is ignored`(_ version: String?) {
    var headers: Headers = ["Location": "/a"]
    headers["Upload-Draft-Interop-Version"] = version

    #expect(ietf.report(status: 104, headers: headers) == nil)
    #expect(ietf.report(status: 103, headers: headers) == nil)
  }

  @Test func `what a server speaks is found out, and each version has a name`() {
    let found: [(Headers, String)] = [
      (["Accept-Patch": "text/plain, Application/Partial-Upload"], "8"),
      (["Accept-Patch": "application/partial-upload", "Upload-Limit": "min-size=0"], "8"),
      (["Upload-Limit": "min-size=0"], "9"), (["Upload-Limit": "min-size=x"], "8"), ([:], "8"),
    ]
    for (headers, version) in found {
      let strategy = ResumableUploads.discovered(in: headers)
      let sent = strategy.request(
        for: .findOffset, of: UploadState(length: 1), like: request(.post, "/files"))
      #expect(sent.headers["Upload-Draft-Interop-Version"] == version)
      #expect(strategy.name == (version == "9" ? "ietf" : "ietf 8"))
    }
    #expect(Set(UploadRecord.ownStrategies.map(\.name)).count == 4)
  }

  // tus 1.0.0, the examples of the core protocol and of the extensions.

  private let file = URL(string: "https://tus.example.org/files/24e533e02ec3bc40c387f1a0e460e216")!

  @Test func `tus's examples of the core protocol`() {
    let tus = TusUploads()
    let state = UploadState(length: 100, url: file, offset: 70)

    let question = tus.request(for: .findOffset, of: state, like: request(.post, "/files"))
    let append = tus.request(for: .append(70..<100), of: state, like: request(.post, "/files"))

    #expect(question.method == .head)
    #expect(question.headers["Tus-Resumable"] == "1.0.0")
    #expect(
      tus.answer(
        to: .findOffset, of: state, status: 200,
        headers: ["Upload-Offset": "70", "Tus-Resumable": "1.0.0"])
        == .incomplete(UploadReport(offset: 70)))
    #expect(append.method == .patch)
    #expect(append.headers[.contentType] == "application/offset+octet-stream")
    #expect(append.headers["Upload-Offset"] == "70")
    #expect(append.headers["Tus-Resumable"] == "1.0.0")
    #expect(
      tus.answer(
        to: .append(70..<100), of: state, status: 204,
        headers: ["Upload-Offset": "100", "Tus-Resumable": "1.0.0"]) == .complete)
  }

  @Test func `tus's example of OPTIONS`() throws {
    let tus = try #require(
      TusUploads(options: [
        "Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0,0.2.2,0.2.1",
        "Tus-Max-Size": "1073741824", "Tus-Extension": "creation,expiration",
      ]))

    #expect(tus.extensions == ["creation", "expiration"])
    #expect(tus.maximumSize == 1_073_741_824)
    #expect(tus.contentDigest == nil)
    #expect(TusUploads(options: ["Tus-Version": "0.2.2"]) == nil)
    #expect(TusUploads(options: [:]) == nil)
  }

  @Test func `tus's examples of creation`() {
    var tus = TusUploads()
    var state = UploadState(length: 100)
    state.metadata = ["filename": "world_domination_plan.pdf", "is_confidential": ""]
    let step = UploadStep.create(tus.firstRange(of: state, isCareful: false))

    let sent = tus.request(for: step, of: state, like: request(.put, "/files"))

    #expect(step == .create(0..<0))
    #expect(sent.method == .post)
    #expect(sent.headers["Upload-Length"] == "100")
    #expect(
      sent.headers["Upload-Metadata"]
        == "filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,is_confidential")
    let location = "https://tus.example.org/files/24e533e02ec3bc40c387f1a0e460e216"
    #expect(
      tus.answer(
        to: step, of: state, status: 201,
        headers: ["Location": "\(location)", "Tus-Resumable": "1.0.0"])
        == .incomplete(UploadReport(location: location, offset: 0)))
    // Creation with upload.
    tus.createsWithContent = true
    tus.extensions = ["creation", "creation-with-upload"]
    let whole = UploadStep.create(tus.firstRange(of: state, isCareful: false))
    #expect(whole == .create(0..<100))
    #expect(
      tus.request(for: whole, of: state, like: request(.post, "/files")).headers[.contentType]
        == "application/offset+octet-stream")
    #expect(
      tus.answer(
        to: whole, of: state, status: 201,
        headers: ["Location": "\(location)", "Tus-Resumable": "1.0.0", "Upload-Offset": "5"])
        == .incomplete(UploadReport(location: location, offset: 5)))
  }

  @Test func `tus's example of expiration`() throws {
    let state = UploadState(length: 100, url: file, offset: 70)

    let answer = TusUploads().answer(
      to: .append(70..<90), of: state, status: 204,
      headers: [
        "Upload-Expires": "Wed, 25 Jun 2014 16:00:00 GMT", "Tus-Resumable": "1.0.0",
        "Upload-Offset": "90",
      ])

    let end = UploadReport.Expiry.date(Date(timeIntervalSince1970: 1_403_712_000))
    #expect(answer == .incomplete(UploadReport(offset: 90, expiry: end)))
  }

  @Test func `tus's examples of checksums and termination`() throws {
    let tus = try #require(
      TusUploads(options: [
        "Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0", "Tus-Extension": "checksum",
        "Tus-Checksum-Algorithm": "md5,sha1,crc32",
      ]))
    var state = UploadState(length: 11, url: file)
    state.contentDigest = Data(base64Encoded: "Kq5sNclPz7QV2+lfQIuc6R7oRu0=")

    #expect(tus.contentDigest == .sha1)
    #expect(
      tus.request(for: .append(0..<11), of: state, like: request(.post, "/files"))
        .headers["Upload-Checksum"] == "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=")
    #expect(
      tus.request(for: .cancel, of: state, like: request(.post, "/files")).method == .delete)
    #expect(
      tus.answer(to: .append(0..<11), of: state, status: 460, headers: [:])
        == .interrupted(UploadReport()))
  }

  // The examples of Google's documentation.

  @Test func `Google's examples of a session`() {
    let google = SessionUploads()
    let session = URL(string: "https://storage.example.com/upload?upload_id=ABC")!
    let state = UploadState(length: 2_000_000, url: session, offset: 43)
    let range = UploadStep.append(43..<2_000_000)

    #expect(
      google.request(for: .findOffset, of: state, like: request(.post, "/o")).headers[
        .contentRange] == "bytes */2000000")
    #expect(
      google.request(for: range, of: state, like: request(.post, "/o")).headers[.contentRange]
        == "bytes 43-1999999/2000000")
    guard
      case .incomplete(let report) = google.answer(
        to: .findOffset, of: state, status: 308, headers: ["Range": "bytes=0-42"])
    else {
      Issue.record("no offset")
      return
    }
    #expect(report.offset == 43)
    #expect(report.limits?.multiple == 256 << 10)
    #expect(google.answer(to: range, of: state, status: 201, headers: [:]) == .complete)
    #expect(google.answer(to: range, of: state, status: 404, headers: [:]) == .gone)
  }
}
