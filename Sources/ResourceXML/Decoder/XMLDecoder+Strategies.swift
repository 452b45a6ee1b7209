public import Foundation

extension XMLDecoder {
  /// A strategy for converting names of elements and attributes to keys. Prefixes don't change.
  public enum KeyDecodingStrategy: Sendable {
    /// `pubDate` is `pubDate`.
    case useDefaultKeys
    /// `pub_date` is `pubDate`.
    case convertFromSnakeCase
    /// `pub-date` is `pubDate`.
    case convertFromKebabCase
    /// `PubDate` is `pubDate`.
    case convertFromCapitalized
    /// `PUBDATE` is `pubdate`.
    case convertFromUppercase
    /// Called once for each different local name of the document.
    case custom(@Sendable (String) -> String)

    func convert(_ name: String) -> String {
      switch self {
      case .useDefaultKeys: name
      case .convertFromSnakeCase: name.joiningWords(at: "_")
      case .convertFromKebabCase: name.joiningWords(at: "-")
      case .convertFromCapitalized: name.prefix(1).lowercased() + name.dropFirst()
      case .convertFromUppercase: name.lowercased()
      case .custom(let convert): convert(name)
      }
    }
  }

  /// A strategy for dates.
  public enum DateDecodingStrategy: Sendable {
    /// `xs:dateTime`, `xs:date`, `xs:gYearMonth` and `xs:gYear`. The fraction of seconds and the
    /// time zone are optional; without a zone the time is UTC. These forms include RFC 3339 and
    /// W3C-DTF.
    case xmlSchema
    /// RFC 822 and its successors (RFC 5322 section 3.3), as in RSS, and their common variations:
    /// without a weekday or seconds, with two-digit years or named zones. Without a zone, or with
    /// an unknown one, the time is UTC.
    case rfc822
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// Seconds since 2001, as `Date` decodes by default.
    case deferredToDate
    /// Called with the trimmed text. If it returns `nil`, decoding fails with line and column.
    case custom(@Sendable (String) throws -> Date?)
  }

  /// A strategy for bytes.
  public enum DataDecodingStrategy: Sendable {
    /// `xs:base64Binary`, with white space anywhere.
    case base64
    /// `xs:hexBinary`.
    case hexadecimal
    /// Called with the trimmed text. If it returns `nil`, decoding fails with line and column.
    case custom(@Sendable (String) throws -> Data?)
  }

  /// A strategy for white space in strings (`whiteSpace` in XML Schema).
  public enum WhitespaceStrategy: Hashable, Sendable {
    /// White space is removed at both ends, except in CDATA sections and in elements with
    /// `xml:space="preserve"` (XML 1.0 section 2.10).
    case trimmed
    /// All white space is kept.
    case preserved
    /// White space is removed at both ends and reduced to one space between words, everywhere.
    case collapsed
  }

  /// A strategy for items of an array of choices that match no case: elements with other names, and
  /// text. Elements for which another property of the enclosing type has a key are always skipped.
  public enum UnknownChoiceStrategy: Hashable, Sendable {
    /// Decoding fails with an error that has its line and column.
    case fail
    /// The item is skipped. A type that decodes such an array by hand still fails.
    case skip
  }

  /// A strategy for several elements with the same name where one value is expected.
  public enum RepeatedElementStrategy: Hashable, Sendable {
    /// The first element is decoded.
    case first
    /// Decoding fails with an error at the second element.
    case fail
  }
}

extension String {
  /// Returns the words between separators joined in camel case. Separators at the ends are kept.
  fileprivate func joiningWords(at separator: Character) -> String {
    let head = prefix { $0 == separator }
    guard head.count < count else { return self }
    let tail = reversed().prefix { $0 == separator }
    let words = dropFirst(head.count).dropLast(tail.count).split(separator: separator)
    guard words.count > 1 else { return self }
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return head + words[0] + rest.joined() + String(tail)
  }
}
