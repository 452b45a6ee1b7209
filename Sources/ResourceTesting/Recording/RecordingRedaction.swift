import Foundation
import ResourceLoading
import ResourcePrimitives

/// The rules for secrets in recordings, in addition to those of the library's errors and logs.
///
/// Secrets are credentials and cookies in headers; user info in URLs; values under or beside the
/// names of secrets in queries, forms, JSON, XML, HTML, GraphQL, parts of multipart bodies and
/// plain text; and tokens and private keys, which are recognised by their form. Each secret is
/// replaced throughout the recording by the same stand-in, such as `redacted-1`, or `900000001` for
/// one of digits, so a response with a token still matches the requests that send it. Its base64
/// and hexadecimal forms get the same stand-in. Stand-ins are numbered in order and reveal nothing
/// about the secret. In a binary or compressed body, only secrets that are known from elsewhere are
/// found.
public struct RecordingRedaction: Sendable {
  /// Additional names of headers, query items, members and fields with secret values.
  public var secretNames: Set<String> = []

  /// Names that look like those of secrets but aren't, such as `code` in a service's errors. They
  /// are case-sensitive.
  public var publicNames: Set<String> = []

  /// Texts that are secret wherever they occur, such as the name of a customer. Texts of fewer than
  /// six bytes are ignored.
  public var secrets: Set<String> = []

  /// Changes an entry after its secrets have been replaced; returns `nil` to leave it out. It is
  /// called on a background thread.
  public var change: (@Sendable (HTTPArchive.Entry) -> HTTPArchive.Entry?)?

  /// Creates the library's rules without additions.
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
  /// Returns the archive with its secrets replaced. Use it for files that other programs have
  /// written.
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

/// A text that replaces a secret.
enum StandIn {
  static let prefix = "redacted-"
  /// The stand-in for a secret of digits consists of digits, too, because it may be a number in
  /// JSON.
  private static let base = 900_000_000
  /// The first digits of such a stand-in, which has nine.
  private static let numericPrefix = "90000"

  static func text(_ number: Int, isNumeric: Bool) -> String {
    isNumeric ? "\(base + number)" : "\(prefix)\(number)"
  }

  /// Returns the number of the secret that a stand-in is for; `nil` if the text isn't a stand-in.
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
    return digits.count == 9 && digits.starts(with: numericPrefix.utf8) && !isBehindDigit
      ? digits.endIndex : nil
  }
}

extension StandIn {
  /// The numbers of the stand-ins in a text.
  static func numbers(in bytes: [UInt8]) -> [Int] {
    // Longer numbers don't come from this library.
    let named = digits(behind: prefix, in: bytes).filter { $0.utf8.count < 9 }
    let numeric = digits(behind: numericPrefix, in: bytes).filter { $0.utf8.count == 4 }
    return (named + numeric).compactMap { Int($0) }
  }

  /// The digits behind each occurrence of a text.
  private static func digits(behind start: String, in bytes: [UInt8]) -> [String] {
    var (found, rest) = ([String](), bytes[...])
    while let range = rest.firstRange(of: Array(start.utf8)) {
      rest = rest[range.upperBound...]
      found.append(String(decoding: rest.prefix(while: \.isASCIIDigit), as: UTF8.self))
    }
    return found
  }

  /// Returns whether a text matches the recorded one, in which each stand-in matches any text.
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
