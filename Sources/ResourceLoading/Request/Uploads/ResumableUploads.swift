import Foundation
import ResourcePrimitives

/// The IETF's protocol: draft-ietf-httpbis-resumable-upload, interop versions 8 and 9.
///
/// The request of the load is sent with `Upload-Complete: ?1`. A server that doesn't know the
/// protocol answers as usual; one that does answers 104 with the URL of the upload. Where interim
/// responses don't arrive, and in an outbox, an empty request creates the upload first if the server
/// is known to speak the protocol.
public struct ResumableUploads: UploadStrategy {
  /// Whether the server is known to speak the protocol, so that it may get an incomplete upload.
  private let isKnown: Bool
  /// The version of the draft for which servers and clients recognise each other.
  private let version: Int

  /// Creates the strategy for a server that speaks the protocol.
  ///
  /// - Parameter interopVersion: The version for which the server and the client recognise each
  ///   other: 9 is that of draft 12, and 8 that of some drafts before.
  public init(interopVersion: Int = 9) { (isKnown, version) = (true, interopVersion) }

  private init() { (isKnown, version) = (false, 8) }

  /// The strategy for a server of which it isn't known whether it speaks the protocol: it gets
  /// everything in one request unless it answers 104. Version 9 would have it answer `OPTIONS`.
  static let unknown = ResumableUploads()

  /// Finds out from an answer to `OPTIONS` what the server speaks. Version 8 tells the type of parts,
  /// and version 9 always tells limits.
  static func discovered(in headers: Headers) -> ResumableUploads {
    let types = headers.values(of: "Accept-Patch").joined(separator: ",").lowercased()
    if types.includes("application/partial-upload") { return ResumableUploads(interopVersion: 8) }
    return UploadReport(upload: headers).limits == nil
      ? unknown : ResumableUploads(interopVersion: 9)
  }

  /// `ietf`, or `ietf 8` for that version.
  public var name: String { version == 9 ? "ietf" : "ietf \(version)" }

  /// SHA-256.
  public var contentDigest: UploadDigest? { .sha256 }

  /// Returns the whole, or as much as the limits allow; if the upload has to be created first, as
  /// little as they allow.
  public func firstRange(of upload: UploadState, isCareful: Bool) -> Range<Int> {
    let limits = upload.limits
    // The server may take a file that is too small to be resumed, but only whole.
    guard isKnown || limits.maximumRequestSize != nil, upload.length >= limits.minimumSize ?? 0
    else {
      return 0..<upload.length
    }
    // Up to version 8 the minimum holds for a request without content, too.
    let least = version > 8 ? 0 : limits.minimumRequestSize ?? 0
    let wanted = isCareful ? least : limits.maximumRequestSize ?? .max
    return 0..<min(upload.length, wanted)
  }

  /// Returns the request of a step.
  public func request(
    for step: UploadStep, of upload: UploadState, like request: Request
  ) -> Request {
    var request = request
    request.headers.set("\(version)", for: .uploadInteropVersion)
    switch step {
    case .create(let range):
      request.describe(range, of: upload)
      request.headers.set("\(upload.length)", for: .uploadLength)
      if let digest = upload.digest {
        request.headers.set("sha-256=:\(digest.base64EncodedString()):", for: .reprDigest)
      }
    case .findOffset: request.method = .head
    case .append(let range):
      request.method = .patch
      request.describe(range, of: upload)
      request.headers.set("\(range.lowerBound)", for: .uploadOffset)
      request.headers.set("application/partial-upload", for: .contentType)
    case .cancel: request.method = .delete
    }
    return request
  }

  /// Returns the meaning of a response.
  public func answer(
    to step: UploadStep, of upload: UploadState, status: Status, headers: Headers
  ) -> UploadAnswer {
    var report = UploadReport(upload: headers)
    let isComplete = headers.structuredBoolean(.uploadComplete)
    switch step {
    case .create(let range):
      let isLast = range.upperBound == upload.length
      // Also with an error, which is that of the resource and not of the transfer.
      if isComplete ?? (isLast && status.isSuccess) { return .complete }
      if status.isSuccess {
        report.location = headers[.location]
        guard report.location != nil || upload.url != nil else { return .refused(report) }
        report.offset = report.offset ?? (isLast ? nil : range.upperBound)
        return .incomplete(report)
      }
    case .append(let range):
      if isComplete == true { return .complete }
      if status.isSuccess {
        let isLast = range.upperBound == upload.length
        report.offset = report.offset ?? (isLast ? nil : range.upperBound)
        return .incomplete(report)
      }
      if status == 409 { return .interrupted(report) }
      if [404, 410].contains(status) { return .gone }
    case .findOffset:
      if [404, 410].contains(status) { return .gone }
      if status.isSuccess {
        if isComplete == true { return .complete }
        return report.offset == nil ? .refused(report) : .incomplete(report)
      }
    case .cancel: return .complete
    }
    // 423 is the lock of an earlier request, with servers that don't end that one.
    let isInterruption = status.interruptsUpload || status == .locked
    return isInterruption ? .interrupted(report) : .refused(report)
  }

  /// Returns what a 104 of this version tells.
  public func report(status: Status, headers: Headers) -> UploadReport? {
    guard status == .uploadResumptionSupported,
      headers.structuredInteger(.uploadInteropVersion) == version
    else { return nil }
    var report = UploadReport(upload: headers)
    report.location = headers[.location]
    return report
  }
}

extension Request {
  /// Sets what an IETF server gets to know of the bytes of a request.
  fileprivate mutating func describe(_ range: Range<Int>, of upload: UploadState) {
    headers.set(range.upperBound == upload.length ? "?1" : "?0", for: .uploadComplete)
    if let digest = upload.contentDigest, !range.isEmpty {
      headers.set("sha-256=:\(digest.base64EncodedString()):", for: .contentDigest)
    }
  }
}

extension Headers {
  mutating func set(_ value: String, for name: Name) { self[name] = value }

  /// An integer that isn't negative (RFC 9651 section 3.3.1); `nil` for anything else.
  func structuredInteger(_ name: Name) -> Int? {
    guard let value = item(name)?.value.integer, value >= 0 else { return nil }
    return value
  }

  /// A boolean (RFC 9651 section 3.3.6); `nil` for anything else.
  func structuredBoolean(_ name: Name) -> Bool? { item(name)?.value.boolean }
}

extension UploadReport {
  /// Reads what an IETF server tells besides the location.
  init(upload headers: Headers) {
    self.init(offset: headers.structuredInteger(.uploadOffset))
    (limits, expiry) = Self.limits(in: headers) ?? (nil, nil)
  }

  /// Reads `Upload-Limit`, a dictionary (RFC 9651 section 3.2); `nil` if there is none, or if it is
  /// malformed or one of its known members is no number of bytes or seconds.
  private static func limits(in headers: Headers) -> (UploadLimits, Expiry?)? {
    guard let members = headers.dictionary("Upload-Limit") else { return nil }
    var limits = UploadLimits()
    var expiry: Expiry?
    let known: Set = ["max-size", "min-size", "max-append-size", "min-append-size", "max-age"]
    for member in members.all where known.contains(member.key) {
      guard let number = member.value.item?.value.integer, number >= 0 else { return nil }
      switch member.key {
      case "max-size": limits.maximumSize = number
      case "min-size": limits.minimumSize = number
      case "max-append-size": limits.maximumRequestSize = number
      case "min-append-size": limits.minimumRequestSize = number
      default: expiry = .age(.seconds(number))
      }
    }
    return (limits, expiry)
  }
}

extension Headers.Name {
  static let uploadComplete: Headers.Name = "Upload-Complete"
  static let uploadInteropVersion: Headers.Name = "Upload-Draft-Interop-Version"
  static let uploadLength: Headers.Name = "Upload-Length"
  static let uploadOffset: Headers.Name = "Upload-Offset"
  static let tusResumable: Headers.Name = "Tus-Resumable"
}
