import CSimulation
import Foundation
import ResourceLoading

/// A server that stores uploads as far as they have arrived, and keeps their offsets: by tus, by the
/// IETF protocol, or as one request.
final class UploadServer: Server, @unchecked Sendable {
  enum Speech: CaseIterable {
    case tus, ietf
    /// The IETF protocol, which `OPTIONS` doesn't tell.
    case quiet
    case nothing
  }

  private final class Upload {
    let path: String
    /// The request that has created it, which says what it is.
    let request: WireRequest
    let length: Int
    var content = Data()
    /// The request that may write. What an earlier one still sends is ignored.
    var writer: Int?
    /// When the last piece has arrived.
    var lastPiece: Nanoseconds = 0
    /// What the request that has completed it was answered.
    var answer: Data?

    init(_ path: String, _ request: WireRequest, _ length: Int) {
      (self.path, self.request, self.length) = (path, request, length)
    }
  }

  let speech = pick(of: Speech.allCases)
  /// How long an upload stays locked by a request that has broken off.
  private let lockTime = pick(of: [0, 0, 500, 8000]) * millisecond
  private let maximumRequestSize: Int? = pick(of: [nil, nil, 30_000])
  /// How often it may still forget an upload, in thousandths of the requests.
  private let forgetfulness = pick(of: [0, 0, 30])
  private var timesForgotten: [Int: Int] = [:]
  private var uploads: [String: Upload] = [:]
  private var writing: [Int: (upload: Upload, end: Int)] = [:]
  private var created = 0

  /// Whether each upload can be resumed to its end, so that none is stored twice.
  var storesOnce: Bool { [.tus, .ietf].contains(speech) && forgetfulness == 0 }

  /// The protocol by which a client may upload.
  var resumption: UploadResumption {
    switch speech {
    case .tus where chance(500): .tus
    case .ietf where chance(500): .ietf
    default: .automatic
    }
  }

  /// Returns the content of a value. Its bytes differ from place to place and from value to value.
  static func content(of value: Int, _ length: Int) -> Data {
    Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ value &* 7) })
  }

  override var readsBodies: Bool { true }

  override func own(
    _ request: WireRequest, _ path: String, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data)? {
    if request.method == .options { return options() }
    if path.hasPrefix("/uploads/") {
      let upload: Upload
      switch find(path, number) {
      case .success(let found): upload = found
      case .failure(let refusal): return answer(refusal.status)
      }
      if request.method == .delete {
        uploads[path] = nil
        return answer(.noContent)
      }
      return question(about: upload)
    }
    guard speech != .nothing, let length = request.headers["Upload-Length"].flatMap({ Int($0) })
    else { return nil }
    let (target, upload) = create(request, path, length)
    if speech == .tus {
      if length == 0 { complete(upload) }
      return answer(.created, ["Location": target, "Upload-Offset": "0"])
    }
    guard request.headers["Upload-Complete"] == "?1" else {
      return answer(
        .created, ["Location": target, "Upload-Offset": "0", "Upload-Complete": "?0"])
    }
    complete(upload)
    return answer(.ok, ["Upload-Complete": "?1"], upload.answer ?? Data())
  }

  override func open(_ request: WireRequest, _ number: Int) -> Reply {
    if let error = error(to: request, number) { return Reply(answer: error) }
    let path = request.url.path(percentEncoded: false)
    let length = request.body?.length ?? 0
    if let maximumRequestSize, speech == .ietf || speech == .quiet, length > maximumRequestSize {
      return Reply(answer: answer(.contentTooLarge))
    }
    guard path.hasPrefix("/uploads/") else { return open(request, path, length, number) }
    switch find(path, number) {
    case .failure(let refusal): return Reply(answer: answer(refusal.status))
    case .success(let upload):
      let size = upload.content.count
      guard request.headers["Upload-Offset"] == "\(size)", size + length <= upload.length,
        upload.answer == nil
      else { return Reply(answer: answer(.conflict, ["Upload-Offset": "\(size)"])) }
      begin(upload, size + length, number)
      return Reply()
    }
  }

  override func receive(_ piece: Data, _ number: Int) -> Reply {
    guard let (upload, end) = writing[number], upload.writer == number else { return Reply() }
    upload.content.append(piece)
    upload.lastPiece = sim_now()
    let size = upload.content.count
    guard size >= end else {
      guard speech != .tus, speech != .nothing, chance(300) else { return Reply() }
      let headers: Headers = [
        "Upload-Offset": "\(size)", "Upload-Draft-Interop-Version": "8",
      ]
      return Reply(interim: ResponseHead(status: .uploadResumptionSupported, headers: headers))
    }
    writing[number] = nil
    upload.writer = nil
    if size == upload.length { complete(upload) }
    // It may fail after it has stored everything, but doesn't say then that it has done nothing.
    if chance(weather.errors) { return Reply(answer: answer(pick(of: [500, 502, 504]))) }
    return Reply(answer: answer(to: upload, size))
  }
}

extension UploadServer: CustomStringConvertible {
  var description: String {
    let limit = maximumRequestSize.map { ", \($0) bytes at a time" } ?? ""
    return "the server speaks \(speech)\(limit), locks uploads for \(lockTime / millisecond) ms"
      + (forgetfulness > 0 ? ", and forgets" : "")
  }
}

// MARK: - Requests without a body

extension UploadServer {
  private typealias Answer = (ResponseHead, Data)

  private func answer(_ status: Status, _ headers: Headers = [:], _ body: Data = Data()) -> Answer {
    var headers = headers
    if speech == .tus { headers["Tus-Resumable"] = "1.0.0" }
    if speech == .ietf || speech == .quiet, let maximumRequestSize {
      headers["Upload-Limit"] = "max-append-size=\(maximumRequestSize)"
    }
    return (ResponseHead(status: status, headers: headers), body)
  }

  private func options() -> Answer {
    switch speech {
    case .tus: answer(.noContent, ["Tus-Version": "1.0.0", "Tus-Extension": "creation"])
    case .ietf: answer(.noContent, ["Accept-Patch": "application/partial-upload"])
    case .quiet: (ResponseHead(status: .noContent, headers: [:]), Data())
    case .nothing: answer(pick(of: [.methodNotAllowed, .noContent]))
    }
  }

  private func question(about upload: Upload) -> Answer {
    let headers: Headers = [
      "Upload-Offset": "\(upload.content.count)", "Upload-Length": "\(upload.length)",
    ]
    guard speech != .tus else { return answer(.ok, headers) }
    let isComplete = upload.answer == nil ? "?0" : "?1"
    return answer(.noContent, headers.adding("Upload-Complete", isComplete))
  }

  private func create(
    _ request: WireRequest, _ path: String, _ length: Int
  ) -> (target: String, Upload) {
    created += 1
    let upload = Upload(path, request, length)
    let target = "/uploads/\(created)"
    uploads[target] = upload
    return (target, upload)
  }

  private struct Refusal: Error {
    var status: Status
  }

  /// Returns an upload for a request, which ends what an earlier one still writes.
  private func find(_ target: String, _ number: Int) -> Result<Upload, Refusal> {
    guard let upload = uploads[target] else { return .failure(Refusal(status: .notFound)) }
    let value = value(of: upload)
    if chance(forgetfulness), timesForgotten[value, default: 0] < 2 {
      world.note("the server forgets the upload \(target)")
      timesForgotten[value, default: 0] += 1
      uploads[target] = nil
      return .failure(Refusal(status: pick(of: [.notFound, .gone])))
    }
    if upload.writer != nil, sim_now() - upload.lastPiece < lockTime {
      return .failure(Refusal(status: .locked))
    }
    upload.writer = nil
    return .success(upload)
  }

  private func value(of upload: Upload) -> Int {
    upload.request.headers["X-Value"].flatMap { Int($0) } ?? -1
  }

  /// An upload is complete: what was written takes effect.
  private func complete(_ upload: Upload) {
    guard upload.answer == nil else { return }
    let value = value(of: upload)
    world.note("the upload of \(value) to \(upload.path) is complete")
    if upload.content != Self.content(of: value, upload.length) {
      world.violate(.uploadIsWhole, "the upload of \(value) has other bytes than its file")
    }
    upload.answer = write(upload.request, upload.path)
  }
}

// MARK: - Requests with a body

extension UploadServer {
  /// A request brings its bytes along: an upload that it creates, or something whole.
  private func open(
    _ request: WireRequest, _ path: String, _ length: Int, _ number: Int
  ) -> Reply {
    guard speech == .ietf || speech == .quiet, request.headers["Upload-Complete"] != nil else {
      begin(Upload(path, request, length), length, number)
      return Reply()
    }
    let whole = request.headers["Upload-Length"].flatMap { Int($0) } ?? length
    let (target, upload) = create(request, path, whole)
    begin(upload, length, number)
    let head = ResponseHead(
      status: .uploadResumptionSupported,
      headers: ["Location": target, "Upload-Draft-Interop-Version": "8"])
    return Reply(interim: head)
  }

  private func begin(_ upload: Upload, _ end: Int, _ number: Int) {
    (upload.writer, upload.lastPiece) = (number, sim_now())
    writing[number] = (upload, end)
  }

  private func answer(to upload: Upload, _ size: Int) -> Answer {
    switch speech {
    case .tus where uploads.values.contains { $0 === upload }:
      answer(.noContent, ["Upload-Offset": "\(size)"])
    case .ietf, .quiet:
      answer(
        upload.answer == nil ? .noContent : .ok,
        ["Upload-Offset": "\(size)", "Upload-Complete": upload.answer == nil ? "?0" : "?1"],
        upload.answer ?? Data())
    default: answer(.ok, [:], upload.answer ?? Data())
    }
  }
}

extension Headers {
  fileprivate func adding(_ name: Headers.Name, _ value: String) -> Headers {
    var headers = self
    headers[name] = value
    return headers
  }
}
