public import Foundation

extension XMLDecoder {
  /// A strategy for turning names of elements and attributes into keys. A prefix stays as it is.
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
    /// `xs:dateTime`, `xs:date`, `xs:gYearMonth` and `xs:gYear`, a fraction of seconds and the time
    /// zone optional, UTC without one. RFC 3339 and W3C-DTF are among these forms.
    case xmlSchema
    /// RFC 822 and its successors (RFC 5322 section 3.3), as in RSS, and their common variations:
    /// without a weekday or seconds, with two-digit years or named zones. UTC without a zone or
    /// with an unknown one.
    case rfc822
    /// As a formatter reads it, which must not be changed afterwards. It gets the trimmed text.
    case formatted(DateFormatter)
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// Seconds since 2001, as `Date` itself decodes.
    case deferredToDate
    /// Called with the trimmed text. `nil` is an error with line and column.
    case custom(@Sendable (String) throws -> Date?)
  }

  /// A strategy for bytes.
  public enum DataDecodingStrategy: Sendable {
    /// `xs:base64Binary`, white space anywhere.
    case base64
    /// `xs:hexBinary`.
    case hexadecimal
    /// Called with the trimmed text. `nil` is an error with line and column.
    case custom(@Sendable (String) throws -> Data?)
  }

  /// A strategy for white space in strings (`whiteSpace` in XML Schema).
  public enum WhitespaceStrategy: Hashable, Sendable {
    /// Removed at both ends, except in CDATA sections and in elements with `xml:space="preserve"`
    /// (XML 1.0 section 2.10).
    case trimmed
    /// Kept.
    case preserved
    /// Removed at both ends and reduced to one space between words, everywhere.
    case collapsed
  }

  /// A strategy for items of an array of choices that have no case: elements of other names, and
  /// text. Elements for which another property of the enclosing type has a key are always skipped.
  public enum UnknownChoiceStrategy: Hashable, Sendable {
    /// Decoding fails with an error that has its line and column.
    case fail
    /// The item is skipped. An array that decodes its items by hand fails all the same.
    case skip
  }

  /// A strategy for several elements of a name where one value is expected.
  public enum RepeatedElementStrategy: Hashable, Sendable {
    /// The first is decoded.
    case first
    /// Decoding fails with an error at the second.
    case fail
  }
}

extension String {
  /// Returns the words between separators joined in camel case. Separators at the ends stay.
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
