import Foundation
import ResourcePrimitives
import ResourceTesting
import Synchronization

/// Content on a server that knows ranges, and what it does wrong.
struct RangeServer: Sendable {
  static let content = Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
  /// The SHA-256 hash of the content.
  static let hash = SecureHash.sha256(content)
  /// Another version, of the same size.
  static let otherContent = Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 17 >> 2) })

  /// A response that a fault may change.
  struct Answer: Sendable {
    var status = 206
    var headers: [(name: String, value: String)] = []
    var body: Data
    var range: Range<Int>
    /// The bytes after which the connection is closed, less than 0 before the head; `nil` for none.
    var limit: Int?
    var isSilentAtLimit = false
    /// The interval between pieces of 64 KiB; `nil` for none.
    var interval: Duration?

    subscript(name: String) -> String? {
      get { headers.first { $0.name == name }?.value }
      set {
        headers.removeAll { $0.name == name }
        if let newValue { headers.append((name, newValue)) }
      }
    }

    var script: Script {
      var head = "HTTP/1.1 \(status) Status\r\n"
      for (name, value) in headers { head += "\(name): \(value)\r\n" }
      if self["Content-Length"] == nil, self["Transfer-Encoding"] == nil {
        head += "Content-Length: \(body.count)\r\n"
      }
      head += "\r\n"
      if let interval {
        return [.bytes(head), .drip(body, size: 1 << 16, every: interval)]
      }
      guard let limit else { return [.bytes(head), .bytes(body)] }
      if limit < 0 { return .close }
      return [.bytes(head), .bytes(body.prefix(limit)), isSilentAtLimit ? .silence : .close]
    }
  }

  final class Count: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  static func answer(
    _ request: ReceivedRequest, _ content: Data = content, tag: String? = #""v1""#
  ) -> Answer {
    let (size, asked) = (
      content.count, request.header("Range").flatMap { range($0, content.count) }
    )
    let condition = request.header("If-Range")
    let isWanted = condition == nil || condition == tag
    guard let asked, isWanted else {
      var whole = Answer(status: 200, body: content, range: 0..<size)
      whole["ETag"] = tag
      return whole
    }
    guard asked.lowerBound < size else {
      var answer = Answer(status: 416, body: Data(), range: 0..<0)
      answer["Content-Range"] = "bytes */\(size)"
      return answer
    }
    var part = Answer(body: content[asked], range: asked)
    part["Content-Range"] = "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(size)"
    part["ETag"] = tag
    return part
  }

  private static func range(_ text: String, _ size: Int) -> Range<Int>? {
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int(ends[0]) else { return nil }
    let last = min(Int(ends[1]) ?? .max, size - 1)
    return first..<max(first, last + 1)
  }

  /// Starts a server whose answers are changed.
  ///
  /// - Parameter change: Changes an answer, given the request and its number from 1.
  static func start(
    _ change: @escaping @Sendable (inout Answer, ReceivedRequest, Int) -> Void = { _, _, _ in }
  ) throws -> LoopbackServer {
    let count = Count()
    return try LoopbackServer {
      LoopbackRoute("*") { request in
        var answer = answer(request)
        change(&answer, request, count.next())
        return answer.script
      }
    }
  }
}
