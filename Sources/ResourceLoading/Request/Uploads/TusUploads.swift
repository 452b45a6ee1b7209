import Foundation
import ResourcePrimitives

/// The tus protocol, version 1.0.0: core, and the extensions creation, creation-with-upload,
/// expiration, checksum and termination (tus.io/protocols/resumable-upload).
///
/// An upload is created by a `POST` without content, whatever the method of the request, so that
/// nothing is lost or stored twice if it is interrupted.
public struct TusUploads: UploadStrategy {
  /// The extensions that the server has.
  var extensions: Set<String> = []
  /// The algorithms of its checksums.
  var algorithms: Set<String> = []
  /// The maximum size; `nil` if it doesn't say.
  var maximumSize: Int?
  /// Whether a small file goes with the request that creates the upload if the server allows it
  /// (creation-with-upload). It saves a round trip. If the answer is lost, the file may be stored
  /// twice.
  public var createsWithContent = false

  /// Creates the strategy for a server with the extension creation.
  public init() {}

  /// Reads the answer to `OPTIONS`; `nil` if the server doesn't speak this version of tus.
  init?(options headers: Headers) {
    let versions = headers.list("Tus-Version").union(headers.list(.tusResumable))
    guard versions.contains("1.0.0") else { return nil }
    extensions = headers.list("Tus-Extension")
    algorithms = headers.list("Tus-Checksum-Algorithm")
    maximumSize = headers.structuredInteger("Tus-Max-Size")
  }

  /// `tus`.
  public var name: String { "tus" }

  /// SHA-256 if the server knows it, and else SHA-1, which all know that have checksums.
  public var contentDigest: UploadDigest? {
    guard extensions.contains("checksum") else { return nil }
    return algorithms.contains("sha256") ? .sha256 : .sha1
  }

  /// The largest file that goes with the request that creates the upload: 1 MiB.
  private static let largestFirstContent = 1 << 20

  /// Returns nothing, or a small file as ``createsWithContent`` says.
  public func firstRange(of upload: UploadState, isCareful: Bool) -> Range<Int> {
    let isWhole =
      createsWithContent && !isCareful && upload.length <= Self.largestFirstContent
      && extensions.contains("creation-with-upload")
    return 0..<(isWhole ? upload.length : 0)
  }

  /// Returns the request of a step.
  public func request(
    for step: UploadStep, of upload: UploadState, like request: Request
  ) -> Request {
    var request = request
    request.headers.set("1.0.0", for: .tusResumable)
    request.headers[.contentType] = nil
    switch step {
    case .create(let range):
      request.method = .post
      request.headers.set("\(upload.length)", for: .uploadLength)
      let metadata = Self.text(of: upload.metadata)
      if !metadata.isEmpty { request.headers.set(metadata, for: "Upload-Metadata") }
      if !range.isEmpty { describe(upload, in: &request) }
    case .findOffset: request.method = .head
    case .append(let range):
      request.method = .patch
      request.headers.set("\(range.lowerBound)", for: .uploadOffset)
      describe(upload, in: &request)
    case .cancel: request.method = .delete
    }
    return request
  }

  private func describe(_ upload: UploadState, in request: inout Request) {
    request.headers.set("application/offset+octet-stream", for: .contentType)
    guard let contentDigest, let digest = upload.contentDigest else { return }
    request.headers.set(
      "\(contentDigest.rawValue) \(digest.base64EncodedString())", for: "Upload-Checksum")
  }

  /// The names, which are unique and hold neither spaces nor commas, with their values in Base64.
  /// What else a name has is left out, and so is the pair if nothing is left of its name.
  private static func text(of metadata: [String: String]) -> String {
    var names: Set<String> = []
    var pairs: [String] = []
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let name = String(
        name.unicodeScalars.filter { (0x21...0x7E).contains($0.value) && $0 != "," })
      guard !name.isEmpty, names.insert(name).inserted else { continue }
      pairs.append(value.isEmpty ? name : "\(name) \(Data(value.utf8).base64EncodedString())")
    }
    return pairs.joined(separator: ",")
  }

  /// Returns the meaning of a response.
  public func answer(
    to step: UploadStep, of upload: UploadState, status: Status, headers: Headers
  ) -> UploadAnswer {
    var report = UploadReport(offset: headers.structuredInteger(.uploadOffset))
    report.expiry = headers["Upload-Expires"].flatMap { HTTPDate($0)?.date }.map { .date($0) }
    let isWhole = report.offset == upload.length
    switch step {
    case .create(let range):
      guard status == .created, let location = headers[.location] else { break }
      report.location = location
      // Without an offset, content was ignored.
      report.offset = report.offset ?? (range.isEmpty ? 0 : nil)
      return isWhole || upload.length == 0 ? .complete : .incomplete(report)
    case .append, .findOffset:
      if status.isSuccess {
        if isWhole { return .complete }
        return step == .findOffset && report.offset == nil ? .refused(report) : .incomplete(report)
      }
      // 403 is the answer of some servers to what they don't know (core protocol, HEAD).
      if [404, 410].contains(status) || status == 403 && step == .findOffset { return .gone }
      // 409 is another offset, 423 a lock of an earlier request, 460 a wrong checksum.
      if [409, 423, 460].contains(status) { return .interrupted(report) }
    case .cancel: return .complete
    }
    return status.interruptsUpload ? .interrupted(report) : .refused(report)
  }
}

extension Headers {
  /// The words of a field that is a list.
  fileprivate func list(_ name: Name) -> Set<String> {
    Set(values(of: name).flatMap { $0.split(separator: ",") }.map { String($0).trimmingSpaces() })
  }
}
