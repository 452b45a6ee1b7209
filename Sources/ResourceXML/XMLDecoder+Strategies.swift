public import Foundation

extension XMLDecoder {
  /// How names of elements and attributes become keys. A prefix stays as it is.
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

  /// How dates are read.
  public enum DateDecodingStrategy: Sendable {
    /// `xs:dateTime`, `xs:date`, `xs:gYearMonth` and `xs:gYear`, a fraction of seconds and the time zone
    /// optional, UTC without one. RFC 3339 and W3C-DTF are among these forms.
    case xmlSchema
    /// RFC 822 and its successors (RFC 5322 section 3.3), as RSS has them, and what people make of them: no
    /// weekday, no seconds, two-digit years, named zones. UTC without a zone or with an unknown one.
    case rfc822
    /// As a formatter reads it, which must not be changed afterwards. It gets the trimmed text.
    case formatted(DateFormatter)
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// As `Date` does it itself: seconds since 2001.
    case deferredToDate
    /// Called with the trimmed text. `nil` is an error that names the place.
    case custom(@Sendable (String) throws -> Date?)
  }

  /// How bytes are read.
  public enum DataDecodingStrategy: Sendable {
    /// `xs:base64Binary`, white space anywhere.
    case base64
    /// `xs:hexBinary`.
    case hexadecimal
    /// Called with the trimmed text. `nil` is an error that names the place.
    case custom(@Sendable (String) throws -> Data?)
  }

  /// What happens to white space in strings (`whiteSpace` in XML Schema).
  public enum WhitespaceStrategy: Hashable, Sendable {
    /// Goes at both ends, but not in CDATA sections, nor in elements with `xml:space="preserve"` (XML 1.0
    /// section 2.10).
    case trimmed
    /// Stays.
    case preserved
    /// Goes at both ends, and is one space between, everywhere.
    case collapsed
  }

  /// What happens to an item of an array of choices that no case is for: an element of another name, or text
  /// where there is no case for it. Elements that another property of the type around the array has a key for
  /// are passed over anyway.
  public enum UnknownChoiceStrategy: Hashable, Sendable {
    /// Decoding ends with an error that names its place.
    case fail
    /// It is passed over. An array that decodes its items by hand fails all the same.
    case skip
  }

  /// What happens when there are several elements of a name where one value is expected.
  public enum RepeatedElementStrategy: Hashable, Sendable {
    /// The first counts.
    case first
    /// Decoding ends with an error at the second.
    case fail
  }
}

extension String {
  /// The words between separators as one, each but the first with a capital. Separators at the ends
  /// stay.
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
