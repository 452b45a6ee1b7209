import CSimulation
import Foundation
import ResourceLoading

// RFC 9110 section 14 in plain words: a representation is a row of bytes, and whoever asks for some
// of them gets those of one version.
extension CacheServer {
  /// An answer about a representation.
  struct PartFact {
    var user: String
    var version: Int
    var number: Int
    var made: Nanoseconds
  }

  static let partLength = 60
  static let partLifetime = 6 * second

  /// The bytes of a version. No byte is the same in another version.
  static func representation(_ user: String, _ version: Int) -> [UInt8] {
    let start = version &* 31 &+ Int(user.utf8.first ?? 0)
    return (0..<partLength).map { UInt8(truncatingIfNeeded: start &+ $0 &* 7) }
  }

  func part(
    _ request: WireRequest, _ user: String, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data) {
    let version = version(of: Self.parts)
    partFacts.append(PartFact(user: user, version: version, number: number, made: sim_now()))
    var headers = headers
    headers[.cacheControl] = "max-age=6"
    let tag = "\"\(version)-\(user)\""
    if partsHaveTags { headers[.eTag] = tag }
    if partsHaveTags, request.headers[.ifNoneMatch] == tag {
      return (ResponseHead(status: .notModified, headers: headers), Data())
    }
    let bytes = Self.representation(user, version)
    let isWanted = request.headers[.ifRange].map { $0 == tag } ?? true
    guard isWanted, chance(900), let asked = request.headers[.range],
      let range = Self.range(asked)
    else { return (ResponseHead(status: .ok, headers: headers), Data(bytes)) }
    headers[.contentRange] =
      "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(chance(900) ? "\(bytes.count)" : "*")"
    return (ResponseHead(status: .partialContent, headers: headers), Data(bytes[range]))
  }

  /// Reads one range.
  private static func range(_ field: String) -> Range<Int>? {
    let ends = field.dropFirst("bytes=".count).split(
      separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    guard let first = Int(ends[0]) else {
      return Int(ends[1]).map { max(0, partLength - $0)..<partLength }
    }
    let end = min(partLength, Int(ends[1]).map { $0 + 1 } ?? partLength)
    return first < end ? first..<end : nil
  }

  /// Returns the version of which some bytes are; `nil` if they are of none, or of several.
  func version(of bytes: Data, at first: Int, for user: String) -> Int? {
    (0...version(of: Self.parts)).first { version in
      let all = Self.representation(user, version)
      return first + bytes.count <= all.count
        && bytes.elementsEqual(all[first..<(first + bytes.count)])
    }
  }
}
