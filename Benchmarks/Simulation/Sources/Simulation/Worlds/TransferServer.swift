import CSimulation
import Foundation
import ResourceLoading

/// A server of bodies whose content is known: long ones that come slowly, for streams, and files of
/// which parts can be asked for.
final class TransferServer: Server, @unchecked Sendable {
  /// Whether it sends parts of whatever it has, although the client has a part of something else.
  var ignoresConditions = false
  /// Whether it sends parts at all.
  var sendsParts = true
  /// The mean time between the pieces of a stream.
  var gap = 100 * millisecond
  var hidesCuts = false

  /// Returns what a version of a path consists of. Its length doesn't depend on the version.
  static func content(of path: String, _ version: Int) -> Data {
    let number = Int(path.last?.wholeNumberValue ?? 0)
    let length = [1, 700, 40_000, 300_000, 700_000][number % 5]
    return Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ version &* 7) })
  }

  override func pace(of path: String) -> (pieces: Int, gap: Nanoseconds) {
    path.hasPrefix("/stream") ? (30, gap) : (6, 20 * millisecond)
  }

  override func isCutUnnoticed(_ path: String) -> Bool { hidesCuts && path.hasPrefix("/file") }

  override func own(
    _ request: WireRequest, _ path: String, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data)? {
    let version = version(of: path)
    let content = Self.content(of: path, version)
    var headers = headers
    headers[.eTag] = "\"\(version)\""
    headers["X-Exchange"] = "\(number)"
    headers["X-Version"] = "\(version)"
    headers[.contentType] = "application/octet-stream"
    if let part = part(request, content, headers) { return part }
    headers[.contentLength] = "\(content.count)"
    return (ResponseHead(status: .ok, headers: headers), content)
  }

  /// Returns the answer to a request for the rest of a file; `nil` for the whole file.
  private func part(
    _ request: WireRequest, _ content: Data, _ headers: Headers
  ) -> (ResponseHead, Data)? {
    guard sendsParts, let range = request.headers[.range],
      let first = Int(range.dropFirst("bytes=".count).dropLast()),
      ignoresConditions || request.headers[.ifRange] == headers[.eTag]
    else { return nil }
    var headers = headers
    guard first < content.count else {
      headers[.contentRange] = "bytes */\(content.count)"
      return (ResponseHead(status: 416, headers: headers), Data())
    }
    headers[.contentRange] = "bytes \(first)-\(content.count - 1)/\(content.count)"
    headers[.contentLength] = "\(content.count - first)"
    return (ResponseHead(status: 206, headers: headers), Data(content.dropFirst(first)))
  }
}
