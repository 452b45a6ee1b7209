import ResourcePrimitives

/// A request to the server of an inspector.
struct InspectorRequest: Equatable, Sendable {
  let method: String
  let target: String
  /// The values of the fields by their names in lower case.
  let fields: [String: [String]]

  /// The most bytes of a head. The page names up to 500 loads in a target.
  static let maximumSize = 32 << 10

  /// Parses a head, from the request line to the empty line; `nil` if it isn't one of HTTP/1.
  init?(head: [UInt8]) {
    guard let text = String(validating: head, as: UTF8.self) else { return nil }
    let lines = text.parts(between: "\n").map { $0.hasSuffix("\r") ? $0.dropLast() : $0 }
    let words = lines.first?.parts(between: " ", omittingEmpty: false) ?? []
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
      return nil
    }
    (method, target) = (String(words[0]), String(words[1]))
    var fields: [String: [String]] = [:]
    for line in lines.dropFirst() where !line.isEmpty {
      guard let (name, value) = line.cut(at: ":"), !name.isEmpty else { return nil }
      fields[name.lowercased(), default: []].append(value.trimmingSpaces())
    }
    self.fields = fields
  }
}

extension InspectorRequest {
  /// What a request is answered with.
  enum Answer: Equatable, Sendable {
    case page
    /// Events from a change on.
    case events(since: Int)
    case load(Int)
    case archive(Set<Int>)
    case savedPage(Set<Int>)
    /// Nothing but a status.
    case refused(Int)
  }

  /// Decides about a request. It is refused, before anything else is looked at, if it names another
  /// host, as after DNS rebinding, or comes from another origin's page, or doesn't have the token.
  ///
  /// - Parameters:
  ///   - authority: The server's address and port.
  ///   - token: The first segment of all paths.
  func answer(at authority: String, token: String) -> Answer {
    guard fields["host"] == [authority] else { return .refused(421) }
    guard fields["origin", default: []].allSatisfy({ $0 == "http://\(authority)" }) else {
      return .refused(403)
    }
    let (path, query) = target.cut(at: "?") ?? (target[...], "")
    let segments = path.parts(between: "/", maxSplits: 1, omittingEmpty: true)
    guard let first = segments.first, first.hasSameBytesInConstantTime(as: token) else {
      return .refused(404)
    }
    guard method == "GET" else { return .refused(405) }
    // A body would be read as the next request.
    guard fields["content-length"] == nil, fields["transfer-encoding"] == nil else {
      return .refused(400)
    }
    return answer(to: segments.dropFirst().first ?? "", query, path)
  }

  private func answer(to name: Substring, _ query: Substring, _ path: Substring) -> Answer {
    switch name {
    case "": return path.hasSuffix("/") ? .page : .refused(404)
    case "events": return .events(since: lastEvent ?? number("since", in: query) ?? 0)
    case "archive.har": return .archive(numbers(in: query))
    case "loads.html": return .savedPage(numbers(in: query))
    default:
      guard name.hasPrefix("loads/"), let id = Int(name.dropFirst(6)) else { return .refused(404) }
      return .load(id)
    }
  }

  /// What a page that connects again has already received.
  private var lastEvent: Int? { fields["last-event-id"]?.first.flatMap { Int($0) } }

  private func number(_ name: String, in query: Substring) -> Int? {
    value(name, in: query).flatMap { Int($0) }
  }

  private func numbers(in query: Substring) -> Set<Int> {
    let list = value("loads", in: query) ?? ""
    return Set(list.parts(between: ",").compactMap { Int($0) })
  }

  private func value(_ name: String, in query: Substring) -> Substring? {
    query.parts(between: "&").lazy.compactMap { $0.cut(at: "=") }.first { $0.before == name }?
      .behind
  }
}

extension Substring {
  /// Compares all bytes, so that the time doesn't tell how many are right.
  fileprivate func hasSameBytesInConstantTime(as other: String) -> Bool {
    let (own, others) = (Array(utf8), Array(other.utf8))
    guard own.count == others.count else { return false }
    return zip(own, others).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
