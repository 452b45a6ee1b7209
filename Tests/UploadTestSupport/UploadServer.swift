package import Foundation
package import ResourceTesting
import Synchronization

/// A server that stores uploads by one of the protocols, and what it does wrong.
package final class UploadServer: Sendable {
  package static let content = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  package enum Dialect: String, CaseIterable, Sendable {
    case ietf, tus, session
    /// None: a request is an object.
    case plain
  }

  /// What happens to a request that a fault may change.
  package struct Reply: Sendable {
    /// The interim responses before the body is read: the headers of a 104.
    package var interim: [KeyValuePairs<String, String>] = []
    /// The bytes of the body that are stored before the connection is closed; `nil` for all.
    package var cut: Int?
    /// How many bytes of what is stored are lost then.
    package var losses = 0
    /// Whether everything is stored, and the connection closed without an answer.
    package var losesAnswer = false
    /// What is answered in place of everything.
    package var instead: Script?
    /// Headers in place of those of the final answer; an empty value removes one.
    package var headers: [String: String] = [:]
    /// The status in place of that of the final answer.
    package var status: Int?
    /// Opens before the body is read; `nil` if it is read at once.
    package var gate: Gate?
    /// Called with the number of bytes of the body that are stored, and whether that completes the
    /// upload.
    package var onProgress: (@Sendable (Int, _ isComplete: Bool) -> Void)?
  }

  private struct State {
    var uploads: [String: Data] = [:]
    var lengths: [String: Int] = [:]
    var complete: Set<String> = []
    /// The number of the request that may write: what a killed client has sent may arrive while its
    /// successor goes on.
    var turns: [String: Int] = [:]
    var objects: [Data] = []
    var count = 0
    var conflictCount = 0

    /// Stores the object of an upload.
    mutating func finish(_ id: String) {
      guard let object = uploads[id], complete.insert(id).inserted else { return }
      objects.append(object)
    }
  }

  package typealias Fault = @Sendable (inout Reply, ReceivedRequest, Int, UploadServer) -> Void

  private let state = Mutex(State())
  private let dialect: Dialect
  private let fault: Fault
  /// Whether it answers 500 where it would reset a connection, which on Linux can end the process
  /// of a `URLSession` that uploads a file.
  private let isGentle: Bool
  /// What the server says of its limits.
  package let limits: String?
  /// After how many bytes it stores what it has of a request.
  private let pieceSize: Int

  package init(
    _ dialect: Dialect = .ietf, limits: String? = nil, pieceSize: Int = 1 << 16,
    isGentle: Bool = false, fault: @escaping Fault = { _, _, _, _ in }
  ) {
    (self.dialect, self.limits, self.fault) = (dialect, limits, fault)
    (self.pieceSize, self.isGentle) = (pieceSize, isGentle)
  }

  /// The objects that were stored.
  package var objects: [Data] { state.withLock(\.objects) }

  /// The number of requests that began elsewhere than where the server had ended.
  package var conflictCount: Int { state.withLock(\.conflictCount) }

  /// Forgets all uploads.
  package func forget() {
    state.withLock { $0.uploads.removeAll() }
  }

  /// The number of bytes of the first upload that isn't complete.
  package var storedSize: Int {
    state.withLock { state in
      state.uploads.first { !state.complete.contains($0.key) }?.value.count ?? 0
    }
  }

  package func start() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("*", answers: .beforeBody) { [self] request in script(request) }
    }
  }
}

extension UploadServer {
  private func script(_ request: ReceivedRequest) -> Script {
    let number = state.withLock { state in
      if request.method != "OPTIONS" { state.count += 1 }
      return state.count
    }
    var reply = Reply()
    let id = request.path.hasPrefix("/uploads/") ? String(request.path.dropFirst(9)) : nil
    let isCreation = id == nil && request.method != "OPTIONS"
    let created = "u\(number)"
    if isCreation, dialect == .ietf, request.header("Upload-Complete") != nil,
      let version = request.header("Upload-Draft-Interop-Version"), ["8", "9"].contains(version)
    {
      reply.interim = [
        ["Location": "/uploads/\(created)", "Upload-Draft-Interop-Version": "\(version)"]
      ]
    }
    fault(&reply, request, number, self)
    if let instead = reply.instead { return [.readBody, instead] }
    let final = reply
    var interim = Script(final.interim.map { .informational(104, headers: $0) })
    if let gate = final.gate { interim = [interim, .wait(gate)] }
    if request.method == "OPTIONS" { return options(final) }
    guard let id else {
      let target = created
      begin(target, request)
      state.withLock { $0.turns[target] = number }
      return [interim, take(request, into: target, from: 0, final, isCreation: true, number)]
    }
    let known = state.withLock { state in
      state.turns[id] = number
      return state.uploads[id]?.count
    }
    guard let size = known else {
      return [.readBody, answer(404, [:], final)]
    }
    if request.method == "DELETE" {
      state.withLock { $0.uploads[id] = nil }
      return [interim, answer(204, [:], final)]
    }
    if isQuestion(request) { return [interim, .readBody, answer(toQuestionOf: id, final)] }
    guard offset(of: request) == size else {
      state.withLock { $0.conflictCount += 1 }
      return [.readBody, answer(409, ["Upload-Offset": "\(size)"], final)]
    }
    return [interim, take(request, into: id, from: size, final, isCreation: false, number)]
  }

  private func begin(_ id: String, _ request: ReceivedRequest) {
    let length =
      (request.header("Upload-Length") ?? request.header("X-Upload-Content-Length")).flatMap {
        Int($0)
      }
    state.withLock { state in
      state.uploads[id] = Data()
      state.lengths[id] = length
    }
  }

  private func isQuestion(_ request: ReceivedRequest) -> Bool {
    request.method == "HEAD"
      || request.header("Content-Range")?.hasPrefix("bytes */") == true
        && request.header("Content-Length").flatMap { Int($0) } ?? 0 == 0
  }

  private func offset(of request: ReceivedRequest) -> Int? {
    if dialect == .session {
      let range = request.header("Content-Range")?.dropFirst(6) ?? ""
      return Int(range.prefix { $0 != "-" })
    }
    return request.header("Upload-Offset").flatMap { Int($0) }
  }

  /// Reads a body piece by piece, and stores each at once.
  private func take(
    _ request: ReceivedRequest, into id: String, from offset: Int, _ reply: Reply, isCreation: Bool,
    _ turn: Int
  ) -> Script {
    let size = min(pieceSize, (reply.cut ?? .max) - request.bodyLength)
    if size > 0, !request.isComplete {
      return [
        .readBody(upTo: size),
        .proceed { [self] request in
          store(request.body.prefix(reply.cut ?? .max), in: id, from: offset, turn)
          reply.onProgress?(request.bodyLength, false)
          return take(request, into: id, from: offset, reply, isCreation: isCreation, turn)
        },
      ]
    }
    if reply.cut != nil {
      state.withLock { state in
        state.uploads[id] = state.uploads[id]?.dropLast(reply.losses)
      }
      if let status = reply.status { return .status(status) }
      return breakOff(isCreation: isCreation)
    }
    let isLast =
      dialect == .ietf
      ? request.header("Upload-Complete") != "?0"
      : state.withLock { $0.uploads[id]?.count == $0.lengths[id] } || dialect == .plain
    if isLast {
      state.withLock { if $0.turns[id] == turn { $0.finish(id) } }
      reply.onProgress?(request.bodyLength, true)
    }
    if reply.losesAnswer { return breakOff(isCreation: isCreation) }
    return answer(to: id, isCreation: isCreation, isLast: isLast, reply)
  }

  /// Ends a connection without an answer.
  private func breakOff(isCreation: Bool) -> Script {
    if isGentle { return .status(500) }
    // A reset may destroy the interim response, and so the upload's URL, before it is read.
    return isCreation && dialect == .ietf ? .halfClose : .reset
  }

  private func store(_ bytes: Data, in id: String, from offset: Int, _ turn: Int) {
    state.withLock { state in
      guard state.turns[id] == turn, let known = state.uploads[id] else { return }
      state.uploads[id] = known.prefix(offset) + bytes
      // Nothing but the offset says that an upload is complete, so it is with its last byte, even if
      // the next request is there already.
      if dialect != .ietf, state.uploads[id]?.count == state.lengths[id] { state.finish(id) }
    }
  }

  private func answer(
    to id: String, isCreation: Bool, isLast: Bool, _ reply: Reply
  ) -> Script {
    let size = state.withLock { $0.uploads[id]?.count ?? 0 }
    var headers: [String: String] = [:]
    if isCreation, !isLast || dialect == .tus { headers["Location"] = "/uploads/\(id)" }
    switch dialect {
    case .ietf:
      headers["Upload-Complete"] = isLast ? "?1" : "?0"
      headers["Upload-Limit"] = limits
      return answer(isLast ? 200 : isCreation ? 201 : 204, headers, reply, isLast: isLast)
    case .tus:
      headers["Tus-Resumable"] = "1.0.0"
      if !isCreation { headers["Upload-Offset"] = "\(size)" }
      return answer(isCreation ? 201 : 204, headers, reply)
    case .session:
      if !isLast, size > 0 { headers["Range"] = "bytes=0-\(size - 1)" }
      return answer(isLast || isCreation ? 200 : 308, headers, reply, isLast: isLast)
    case .plain: return answer(200, headers, reply, isLast: true)
    }
  }

  private func answer(toQuestionOf id: String, _ reply: Reply) -> Script {
    let (size, length, isComplete) = state.withLock {
      ($0.uploads[id]?.count ?? 0, $0.lengths[id], $0.complete.contains(id))
    }
    var headers: [String: String] = [:]
    switch dialect {
    case .ietf:
      headers = ["Upload-Offset": "\(size)", "Upload-Complete": isComplete ? "?1" : "?0"]
      headers["Upload-Length"] = length.map { "\($0)" }
      headers["Upload-Limit"] = limits
      return answer(204, headers, reply)
    case .tus:
      headers = ["Upload-Offset": "\(size)", "Tus-Resumable": "1.0.0"]
      return answer(200, headers, reply)
    case .session, .plain:
      if size > 0 { headers["Range"] = "bytes=0-\(size - 1)" }
      return answer(isComplete ? 200 : 308, headers, reply, isLast: isComplete)
    }
  }

  private func options(_ reply: Reply) -> Script {
    switch dialect {
    case .ietf:
      var headers = ["Accept-Patch": "application/partial-upload"]
      headers["Upload-Limit"] = limits
      return answer(204, headers, reply)
    case .tus:
      return answer(
        204,
        [
          "Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0,0.2.2,0.2.1",
          "Tus-Extension": "creation,expiration,checksum,termination",
          "Tus-Checksum-Algorithm": "md5,sha1,crc32",
        ], reply)
    case .session, .plain: return answer(405, [:], reply)
    }
  }

  private func answer(
    _ status: Int, _ headers: [String: String], _ reply: Reply, isLast: Bool = false
  ) -> Script {
    let headers = headers.merging(reply.headers) { $1 }.filter { !$0.value.isEmpty }
    let status = reply.status ?? status
    let body = isLast && status == 200 ? #"{"id":"stored"}"# : ""
    var head = "HTTP/1.1 \(status) Status\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if ![204, 304].contains(status) { head += "Content-Length: \(body.utf8.count)\r\n" }
    return .bytes(head + "\r\n" + body)
  }
}

extension ReceivedRequest {
  /// The length of the body as the head says it.
  package var announcedLength: Int { header("Content-Length").flatMap { Int($0) } ?? 0 }
}
