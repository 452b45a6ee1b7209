import Foundation

/// Reads the values of options. Each function throws a `UsageError` that names the option and what it takes.
enum Value {
  /// An `http` or `https` URL with a host.
  static func url(_ text: String) throws(UsageError) -> URL {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      scheme == "http" || scheme == "https", url.host()?.isEmpty == false
    else { throw UsageError("\"\(text)\" is no http or https URL") }
    return url
  }

  /// A whole number in a range.
  static func number(
    _ text: String, of option: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
    }
    return number
  }

  /// Seconds, fractions too.
  static func duration(_ text: String, of option: String) throws(UsageError) -> Duration {
    guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
      throw UsageError("\(option) takes seconds from 0.001 to 86400, not \"\(text)\"")
    }
    return .milliseconds(Int((seconds * 1000).rounded()))
  }

  /// A day, a moment, or a time ago.
  static func moment(_ text: String, of option: String) throws(UsageError) -> Moment {
    guard let moment = Moment(text) else {
      throw UsageError(
        "\(option) takes a day (2026-11-20), a moment (2026-11-20T18:00Z) or a time ago "
          + "(30m, 12h, 7d, 2w), not \"\(text)\"")
    }
    return moment
  }

  /// The path of a file.
  static func place(_ text: String, of option: String) throws(UsageError) -> LibraryPlace {
    guard !text.isEmpty else { throw UsageError("\(option) takes the path of a file") }
    return LibraryPlace(path: text)
  }
}
