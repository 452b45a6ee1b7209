#if URLSession || !os(Linux)
  public import Foundation

  extension XMLDecoder.DateDecodingStrategy {
    /// A formatter reads the trimmed text. Don't change the formatter afterwards.
    ///
    /// On Linux this needs the trait `URLSession`: a `DateFormatter` brings the tables of ICU with
    /// it, which are most of a small static program.
    ///
    /// - Parameter formatter: The formatter. If it returns `nil`, decoding fails with line and column.
    /// - Returns: The strategy.
    public static func formatted(_ formatter: DateFormatter) -> Self {
      .custom { text in formatter.date(from: text) }
    }
  }
#endif
