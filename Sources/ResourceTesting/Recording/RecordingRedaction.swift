import Foundation
import ResourceLoading
import ResourcePrimitives

/// The rules for secrets in recordings, in addition to those of the library's errors and logs.
///
/// Secrets are credentials and cookies in headers; user info of URLs; values under or beside the
/// names of secrets in queries, forms, JSON, XML, HTML, GraphQL, parts of multipart bodies and
/// plain text; and tokens and private keys by their form. Each secret is replaced by a stand-in
/// such as `redacted-1` (one of digits by a number, such as `900000001`), everywhere in the
/// recording by the same one, so that a response with a token and the requests that send it still
/// belong together; its base64 and its hexadecimal digits have the same stand-in. Stand-ins are
/// numbered in order: nothing about a secret can be learned from one. A binary or compressed body
/// is only searched for secrets that are known from elsewhere.
public struct RecordingRedaction: Sendable {
  /// Further names of headers, query items, members and fields whose values are secret.
  public var secretNames: Set<String> = []

  /// Names that look like those of secrets, and aren't, such as `code` in the errors of a service.
  /// Letter case counts.
  public var publicNames: Set<String> = []

  /// Texts that are secret wherever they occur, such as the name of a customer. Those of fewer than
  /// six bytes are left.
  public var secrets: Set<String> = []

  /// Changes an entry whose secrets have been replaced, before it is kept; returns `nil` to leave
  /// it out. It is called on a background thread.
  public var change: (@Sendable (HTTPArchive.Entry) -> HTTPArchive.Entry?)?

  /// Creates the library's own rules.
  public init() {}
}

extension RecordingRedaction: CustomReflectable {
  /// Shows the rules without the secrets.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "secretNames": secretNames, "publicNames": publicNames, "secrets": secrets.count,
      ])
  }
}

extension HTTPArchive {
  /// Returns the archive with its secrets replaced, for files that other programs have written.
  ///
  /// - Parameter redaction: The rules.
  public func redacted(by redaction: RecordingRedaction = RecordingRedaction()) -> HTTPArchive {
    var standIns = SecretStandIns(redaction)
    standIns.learn(from: entries)
    var redacted = self
    redacted.comment = comment.map { standIns.redact($0) }
    redacted.entries = entries.compactMap { entry in
      let entry = standIns.redact(entry)
      return redaction.change.map { $0(entry) } ?? entry
    }
    return redacted
  }
}

/// A text that takes a secret's place.
enum StandIn {
  static let prefix = "redacted-"
  /// The stand-in of a secret that consists of digits is one, too, since it may stand where JSON
  /// has a number.
  private static let base = 900_000_000

  static func text(_ number: Int, isNumeric: Bool) -> String {
    isNumeric ? "\(base + number)" : "\(prefix)\(number)"
  }

  /// Returns the number of the secret that a stand-in is for; `nil` if the text is no stand-in.
  static func number(of text: some StringProtocol) -> Int? {
    guard text.hasPrefix(prefix) else { return nil }
    let digits = text.dropFirst(prefix.count)
    return digits.hasOnlyDigits ? Int(digits) : nil
  }

  /// Returns the parts of a text between its stand-ins; one part if there are none.
  static func parts(between text: String) -> [Substring] {
    var parts: [Substring] = []
    var (start, place) = (text.startIndex, text.startIndex)
    let bytes = text.utf8
    while place < bytes.endIndex {
      guard let end = end(at: place, in: bytes) else {
        bytes.formIndex(after: &place)
        continue
      }
      parts.append(text[start..<place])
      (start, place) = (end, end)
    }
    return parts + [text[start...]]
  }

  private static func end(at place: String.Index, in bytes: String.UTF8View) -> String.Index? {
    let rest = bytes[place...]
    if rest.starts(with: prefix.utf8) {
      let digits = rest.dropFirst(prefix.utf8.count).prefix(while: \.isASCIIDigit)
      return digits.isEmpty ? nil : digits.endIndex
    }
    guard rest.first == UInt8(ascii: "9") else { return nil }
    let digits = rest.prefix(while: \.isASCIIDigit)
    let isBehindDigit = place > bytes.startIndex && bytes[bytes.index(before: place)].isASCIIDigit
    return digits.count == 9 && digits.starts(with: "90000".utf8) && !isBehindDigit
      ? digits.endIndex : nil
  }
}

extension StandIn {
  /// The numbers of the stand-ins in a text.
  static func numbers(in bytes: [UInt8]) -> [Int] {
    var (numbers, rest) = ([Int](), bytes[...])
    while let range = rest.firstRange(of: Array(prefix.utf8)) {
      rest = rest[range.upperBound...]
      let digits = rest.prefix(while: \.isASCIIDigit)
      // Others aren't ours.
      if digits.count < 9, let number = Int(String(decoding: digits, as: UTF8.self)) {
        numbers.append(number)
      }
    }
    return numbers
  }

  /// Returns whether a text is what was recorded, where each stand-in may be any text.
  static func fits(_ recorded: String, _ text: String) -> Bool {
    guard !recorded.hasSameBytes(as: text) else { return true }
    let parts = parts(between: recorded).map { Array($0.utf8) }
    guard parts.count > 1, let first = parts.first, let last = parts.last else { return false }
    var rest = Array(text.utf8)[...]
    guard rest.starts(with: first) else { return false }
    rest = rest.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() {
      guard let place = rest.firstRange(of: part) else { return false }
      rest = rest[place.upperBound...]
    }
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}
