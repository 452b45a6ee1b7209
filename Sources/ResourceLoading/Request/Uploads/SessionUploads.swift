import Foundation
import ResourcePrimitives

/// Google's protocol for uploads: a session URI, `Content-Range`, and 308 for an incomplete upload
/// (cloud.google.com/storage/docs/resumable-uploads).
///
/// The request of the load begins the session, with `uploadType=resumable` in its query where the
/// service wants that.
///
/// ```swift
/// let request = Request.post("/upload/storage/v1/b/photos/o?uploadType=resumable&name=a.jpg")
/// try await client.load(.void(.upload(request, file: file, resuming: .using(SessionUploads()))))
/// ```
public struct SessionUploads: UploadStrategy {
  /// The maximum number of bytes in one request, a multiple of 256 KiB; `nil` for any number.
  public var maximumRequestSize: Int?

  /// Creates the strategy.
  ///
  /// - Parameter maximumRequestSize: The maximum number of bytes in one request.
  public init(maximumRequestSize: Int? = nil) { self.maximumRequestSize = maximumRequestSize }

  /// `session`.
  public var name: String { "session" }

  /// Returns nothing.
  public func firstRange(of upload: UploadState, isCareful: Bool) -> Range<Int> { 0..<0 }

  /// Returns the request of a step.
  public func request(
    for step: UploadStep, of upload: UploadState, like request: Request
  ) -> Request {
    var request = request
    // 308 has another meaning here.
    request.options.redirects = .never
    // What the session URI is recognised by lets anybody continue the upload.
    request.options.secretNames = (request.options.secretNames ?? []).union(["upload_id"])
    switch step {
    case .create:
      request.headers.set("\(upload.length)", for: "X-Upload-Content-Length")
      if let type = request.headers[.contentType] {
        request.headers.set(type, for: "X-Upload-Content-Type")
      }
      request.headers[.contentType] = nil
    case .findOffset:
      request.method = .put
      request.headers.set("bytes */\(upload.length)", for: .contentRange)
    case .append(let range):
      request.method = .put
      let bytes = range.isEmpty ? "*" : "\(range.lowerBound)-\(range.upperBound - 1)"
      request.headers.set("bytes \(bytes)/\(upload.length)", for: .contentRange)
    case .cancel: request.method = .delete
    }
    return request
  }

  /// Returns the meaning of a response.
  public func answer(
    to step: UploadStep, of upload: UploadState, status: Status, headers: Headers
  ) -> UploadAnswer {
    var report = UploadReport()
    report.limits = UploadLimits()
    report.limits?.maximumRequestSize = maximumRequestSize
    report.limits?.multiple = 256 << 10
    switch (step, status.rawValue) {
    case (.create, 200..<300):
      guard let location = headers[.location] else { return .refused(report) }
      (report.location, report.offset) = (location, 0)
      return .incomplete(report)
    case (.cancel, _), (_, 200..<300): return .complete
    case (.append, 308), (.findOffset, 308):
      report.offset = headers[.range].map(Self.end) ?? 0
      return .incomplete(report)
    case (.append, 404), (.append, 410), (.findOffset, 404), (.findOffset, 410): return .gone
    default: return status.interruptsUpload ? .interrupted(report) : .refused(report)
    }
  }

  /// The number of bytes in `bytes=0-42`; `nil` if it isn't one range from 0 on.
  private static func end(of range: String) -> Int? {
    guard let (unit, ends) = range.trimmingSpaces().cut(at: "="), unit.lowercased() == "bytes",
      let (first, last) = String(ends).cut(at: "-"), first == "0", String(last).hasOnlyDigits,
      let number = Int(last), number < .max
    else { return nil }
    return number + 1
  }
}
