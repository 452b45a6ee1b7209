import Foundation

struct Arguments: Equatable, Sendable {
  /// The feeds to read; if empty, those that are kept.
  var urls: [URL] = []
  /// The path of the library; `nil` for the user's own.
  var database: String?
  var limit = 20
  var isOffline = false
  var wantsJSON = false
  /// Whether to keep reading the feeds, and to list what is new.
  var isFollowing = false
  /// The time from one reading to the next.
  var interval = Duration.seconds(900)
  /// The path of the file to which a page with all loads is written; `nil` for none.
  var inspection: String?
  var wantsHelp = false
}

/// A command line that can't be understood. The reason is a sentence without a full stop.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Arguments {
  /// Parses a command line without the program's own name.
  init(_ words: [String]) throws(UsageError) {
    self.init()
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--json": wantsJSON = true
      case "--offline": isOffline = true
      case "--follow": isFollowing = true
      case "--database": database = try Self.value(of: word, in: &rest)
      case "--inspect": inspection = try Self.value(of: word, in: &rest)
      case "--limit", "-n": limit = try Self.number(of: word, upTo: 100_000, in: &rest)
      case "--every": interval = .seconds(try Self.number(of: word, upTo: 86_400, in: &rest))
      default: urls.append(try Self.url(word))
      }
    }
    if isFollowing, isOffline || wantsJSON {
      throw UsageError("--follow doesn't go with --offline and --json")
    }
  }

  private static func value(
    of option: String, in rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
    return value
  }

  private static func number(
    of option: String, upTo maximum: Int, in rest: inout ArraySlice<String>
  ) throws(UsageError) -> Int {
    let text = try value(of: option, in: &rest)
    guard let number = Int(text), 1...maximum ~= number else {
      throw UsageError("\(option) takes a number from 1 to \(maximum), not \"\(text)\"")
    }
    return number
  }

  private static func url(_ word: String) throws(UsageError) -> URL {
    if word.hasPrefix("-") { throw UsageError("unknown option \(word)") }
    guard let url = URL(string: word), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host()?.isEmpty == false
    else { throw UsageError("\"\(word)\" is no http or https URL") }
    return url
  }
}
