import Foundation

/// What was asked on the command line.
struct Arguments: Equatable, Sendable {
  /// The feeds to read; none stands for the recorded ones.
  var urls: [URL] = []

  /// How many items are listed at most.
  var count = 20

  /// How many feeds are loaded at once at most.
  var concurrency = 8

  /// How long one feed may take.
  var timeout = Duration.seconds(30)

  /// Whether only the help is wanted.
  var wantsHelp = false

  /// Asks for nothing in particular.
  init() {}

  /// Reads the words of a command line.
  ///
  /// Options may stand before and behind URLs, their values in the next word or behind `=`; `--` ends
  /// them. Words behind `--help` don't matter.
  ///
  /// - Parameter words: The words without the program's own name.
  /// - Throws: `UsageError` for an option that there isn't, a value that is missing or out of its range,
  ///   and a word that is no `http` or `https` URL.
  init(_ words: [String]) throws(UsageError) {
    var words = Words(words)
    while let word = words.next(), !wantsHelp {
      switch word {
      case .url(let text): urls.append(try Self.url(text))
      case .option("--help", nil), .option("-h", nil): wantsHelp = true
      case .option("--count", let value), .option("-n", let value):
        count = try Self.number(try words.value("--count", value), of: "--count", in: 1...100_000)
      case .option("--concurrency", let value):
        let text = try words.value("--concurrency", value)
        concurrency = try Self.number(text, of: "--concurrency", in: 1...1000)
      case .option("--timeout", let value):
        timeout = try Self.duration(try words.value("--timeout", value), of: "--timeout")
      case .option(let name, nil): throw UsageError("unknown option \(name)")
      case .option(let name, _?): throw UsageError("unknown option \(name), or it takes no value")
      }
    }
  }
}

extension Arguments {
  private static func url(_ text: String) throws(UsageError) -> URL {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      scheme == "http" || scheme == "https", url.host()?.isEmpty == false
    else { throw UsageError("\"\(text)\" is no http or https URL") }
    return url
  }

  private static func number(
    _ text: String, of option: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
    }
    return number
  }

  private static func duration(
    _ text: String, of option: String
  ) throws(UsageError) -> Duration {
    guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
      throw UsageError("\(option) takes seconds from 0.001 to 86400, not \"\(text)\"")
    }
    return .milliseconds(Int((seconds * 1000).rounded()))
  }
}
