internal import Foundation
internal import ResourceLoading
internal import ResourcePrimitives

// Parts of representations, one contiguous range each (RFC 9111 section 3.3).
extension StoredResponse {
  /// Whether it is a part of a representation.
  var isPartial: Bool { response.status == .partialContent }

  /// What a stored response contains of what a request asks for.
  enum Coverage: Hashable {
    /// The response answers the request as it is.
    case whole
    /// The response contains the bytes that the request asks for.
    case bytes(Range<Int>)
    /// The response lacks bytes at one end only.
    case allBut(RequestedRange)
    /// The server has to answer.
    case nothing
  }

  func coverage(of request: Request) -> Coverage {
    // Ranges are only defined for `GET`, and only for responses with a representation (RFC 9110
    // section 14.2).
    guard isPartial || response.status == .ok else { return .whole }
    guard request.method == .get, request.headers[.range] != nil else {
      return isPartial ? rest(for: request) : .whole
    }
    guard isSelectedByIfRange(of: request) else { return isPartial ? .nothing : .whole }
    guard let held = response.heldBytes, let asked = RequestedRange(request.headers),
      let wanted = asked.positions(of: held.total), wanted.clamped(to: held.positions) == wanted
    else { return .nothing }
    return .bytes(wanted)
  }

  /// The missing bytes of a part that can be completed.
  private func rest(for request: Request) -> Coverage {
    guard request.method == .get, let held = response.heldBytes, held.areCertain,
      response.headers.strongValidator != nil
    else { return .nothing }
    let (first, end) = (held.positions.lowerBound, held.positions.upperBound)
    if first == 0 { return .allBut(.positions(end, through: nil)) }
    return end == held.total ? .allBut(.positions(0, through: first - 1)) : .nothing
  }

  /// Whether `If-Range` is missing, or names this response (RFC 9110 section 13.1.5).
  private func isSelectedByIfRange(of request: Request) -> Bool {
    guard let condition = request.headers[.ifRange]?.trimmingSpaces() else { return true }
    var headers = response.headers
    if !condition.begins(with: "\"") { headers[.eTag] = nil }
    return headers.strongValidator.map { condition.hasSameBytes(as: $0) } ?? false
  }
}

extension StoredResponse {
  /// Returns the response to a request that it covers: all of it, the bytes that are asked for, or
  /// a 304 if the caller already has it.
  func answer(to request: Request) -> Response {
    if isUnmodified(for: request) { return notModified }
    guard case .bytes(let wanted) = coverage(of: request), let held = response.heldBytes else {
      return response
    }
    var part = response
    let start = wanted.lowerBound - held.positions.lowerBound
    part.body = Data(response.body.dropFirst(start).prefix(wanted.count))
    part.describePart(wanted, of: held.total)
    return part
  }

  /// Returns the combination of two responses with the same representation (RFC 9111 section 3.4);
  /// `nil` if they have no strong validator in common, or there is a gap between them. The headers
  /// of `part`, which is the newer one, are used.
  func combined(with part: StoredResponse) -> StoredResponse? {
    guard let validator = response.headers.strongValidator, variant == part.variant,
      let other = part.response.headers.strongValidator, validator.hasSameBytes(as: other),
      response.url == part.response.url, let own = response.heldBytes,
      let new = part.response.heldBytes, let both = own.union(new)
    else { return nil }
    var body = Data(response.body.prefix(max(0, new.first - own.first)))
    body.append(part.response.body)
    body.append(response.body.suffix(max(0, own.end - new.end)))
    var fresh = freshened(
      by: part.response, requestDate: part.requestDate, responseDate: part.responseDate
    ).response
    fresh.body = body
    fresh.describePart(both.positions, of: both.total)
    return StoredResponse(
      fresh.completed, selectingHeaders: part.selectingHeaders, requestDate: part.requestDate,
      responseDate: part.responseDate, wasRedirected: part.wasRedirected)
  }

  /// A part that contains everything, as a complete response; otherwise the response itself.
  var completed: StoredResponse {
    guard isPartial else { return self }
    return StoredResponse(
      response.completed, selectingHeaders: selectingHeaders, requestDate: requestDate,
      responseDate: responseDate, wasRedirected: wasRedirected)
  }
}

/// The bytes of a representation that a response contains.
struct HeldBytes: Hashable {
  let positions: Range<Int>
  /// The length of the representation; `nil` if it isn't known.
  let total: Int?
  /// Whether the response doesn't contradict itself. Otherwise it isn't combined with others.
  var areCertain = true

  var first: Int { positions.lowerBound }
  var end: Int { positions.upperBound }

  /// Returns the bytes of both; `nil` if there is a gap between them, or they contradict each
  /// other.
  func union(_ other: HeldBytes) -> HeldBytes? {
    let total = total ?? other.total
    guard first <= other.end, other.first <= end, (other.total ?? total) == total, areCertain,
      other.areCertain
    else { return nil }
    let both = HeldBytes(positions: min(first, other.first)..<max(end, other.end), total: total)
    return total.map { both.end <= $0 } ?? true ? both : nil
  }
}

extension Response {
  /// The bytes that a 200 or 206 contains; `nil` if that isn't known for certain. Positions in coded
  /// content say nothing about the decoded body.
  var heldBytes: HeldBytes? {
    guard headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
      return nil
    }
    guard status == .partialContent else {
      return HeldBytes(positions: 0..<body.count, total: body.count)
    }
    guard let range = headers[.contentRange].flatMap({ ContentRange($0) }),
      let bytes = range.bytes
    else { return nil }
    let positions = Range(bytes)
    if positions.count == body.count { return HeldBytes(positions: positions, total: range.total) }
    // Some servers count the last position of the last bytes wrongly. A body that broke off has
    // another length.
    guard range.total == positions.upperBound, (1..<positions.count).contains(body.count),
      headers[.contentLength] == "\(body.count)"
    else { return nil }
    let end = positions.lowerBound + body.count
    return HeldBytes(positions: positions.lowerBound..<end, total: end, areCertain: false)
  }

  /// Sets the status and the headers of a part.
  fileprivate mutating func describePart(_ positions: Range<Int>, of total: Int?) {
    status = .partialContent
    let length = total.map { "\($0)" } ?? "*"
    headers[.contentRange] =
      "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(length)"
    headers[.contentLength] = "\(positions.count)"
  }

  /// A 206 with all bytes as a 200 (RFC 9111 section 3.4); otherwise the response itself.
  fileprivate var completed: Response {
    guard status == .partialContent, let held = heldBytes, held.areCertain,
      held.positions.count == held.total
    else { return self }
    var whole = self
    whole.status = .ok
    whole.headers[.contentRange] = nil
    return whole
  }
}
