import Foundation
import ResourceLoading
import ResourcePrimitives

/// A recorded response in the form in which a receiver gets it.
struct PlayedResponse: Sendable {
  var head: ResponseHead
  var body: Data

  /// `isOwn` means that the headers were recorded as a receiver gets them, and `asked` are those of
  /// the request. `nil` if there was no response.
  init?(
    _ recorded: HTTPArchive.Entry, isOwn: Bool, hasBody: Bool, _ asked: Headers
  ) throws(LoadError) {
    let entry = isOwn ? recorded : recorded.withoutCodings
    let response = entry.response
    guard response.status > 0 else { return nil }
    if !isOwn, recorded.hasCompressedBody {
      throw LoadError(
        .notRecorded, "the recording has the body of this response only in compressed form",
        advice: "Record it with a program that writes decoded bodies")
    }
    let isBodiless = !hasBody || [204, 304].contains(response.status)
    body = isBodiless ? Data() : try Self.body(of: entry)
    head = ResponseHead(status: Status(rawValue: response.status))
    // A browser records its cached body together with the status 304 of the revalidation.
    let isConditional = asked[.ifNoneMatch] != nil || asked[.ifModifiedSince] != nil
    if response.status == 304, !isConditional, let cached = response.body?.data, !cached.isEmpty {
      (head.status, body) = (.ok, cached)
    }
    for field in response.headers where field.name.rawValue.isToken {
      head.headers.append(field.name, field.value.trimmingSpaces())
    }
    let length = head.headers[.contentLength].flatMap { Int($0) }
    let isWhole = entry.failure == nil && !isBodiless && head.headers[.contentEncoding] == nil
    // Secrets have been replaced in the body, or it has been decoded.
    if isWhole, let length, length != body.count { head.headers[.contentLength] = "\(body.count)" }
  }

  private static func body(of entry: HTTPArchive.Entry) throws(LoadError) -> Data {
    guard let body = entry.response.body else {
      let isEmpty = entry.response.headers[.contentLength] == "0" || entry.failure != nil
      if isEmpty || (300..<400).contains(entry.response.status) { return Data() }
      throw LoadError(
        .notRecorded, "the recording doesn't have the body of this response",
        advice: entry.response.missingBody?.reason.map { "The file says: \($0.rawValue)" }
          ?? "Record it with response bodies")
    }
    guard body.isComplete else {
      throw LoadError(
        .notRecorded,
        "the recording has only the first \(body.data.count) of the \(body.size) bytes of this response",
        advice: "Record it with a larger limit for bodies")
    }
    return body.data
  }
}

extension HTTPArchive.Entry {
  /// Whether the body is still compressed, as Polly.JS keeps it.
  fileprivate var hasCompressedBody: Bool {
    let coding = response.headers[.contentEncoding]?.trimmingSpaces().lowercased() ?? ""
    guard coding.hasSuffix("gzip"), let data = response.body?.data else { return false }
    return data.starts(with: [0x1F, 0x8B, 8])
  }

  /// The entry without response headers that don't apply to a decoded body.
  var withoutCodings: HTTPArchive.Entry {
    var entry = self
    entry.response.headers[.contentEncoding] = nil
    entry.response.headers[.transferEncoding] = nil
    // Text in another charset has become UTF-8 in the file.
    guard let body = response.body, body.isTranscoded, response.isInOtherCharset(body.data),
      let type = response.headers[.contentType]
    else { return entry }
    entry.response.headers[.contentType] = "\(MediaType(rawValue: type).essence); charset=utf-8"
    return entry
  }
}
