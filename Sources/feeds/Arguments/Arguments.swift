import Foundation

/// The command line.
struct Arguments: Equatable, Sendable {
  enum Action: Equatable, Sendable {
    case read
    case demonstrate
    case list
    /// Forget feeds, by URL or title.
    case remove([String])
    case help
  }

  var action = Action.read
  /// The feeds to read; empty for those that are kept.
  var urls: [URL] = []
  /// The path of the library; `nil` for the user's own.
  var database: String?
  var isOffline = false
  var wantsJSON = false
  /// Whether to go on reading the feeds, and list what is new.
  var isFollowing = false
  /// The time from one reading to the next.
  var pause = Duration.seconds(900)
  /// The most items to list.
  var limit = 20
  /// The most feeds to load at once.
  var concurrency = 8
  /// The time limit of one load.
  var timeout = Duration.seconds(30)
}

/// A command line that can't be understood. The reason is a sentence without a full stop.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Arguments {
  /// Parses a command line without the program's own name.
  ///
  /// Options may stand before and behind other words, their values in the next word or behind `=`;
  /// `--` ends them. Words behind `--help` are ignored.
  init(_ words: [String]) throws(UsageError) {
    self.init()
    var rest = words[...]
    var others: [String] = []
    while action != .help, let word = rest.popFirst() {
      if word == "--" {
        others += rest
        break
      } else if word.hasPrefix("-") {
        var option = Option(word, followedBy: rest)
        try take(&option)
        rest = option.rest
      } else {
        others.append(word)
      }
    }
    guard action != .help else { return }
    try checkCombination()
    try take(others)
  }

  private mutating func take(_ option: inout Option) throws(UsageError) {
    switch (option.name, option.given) {
    case ("--help", nil), ("-h", nil): action = .help
    case ("--demo", nil): try choose(.demonstrate)
    case ("--list", nil): try choose(.list)
    case ("--remove", nil): try choose(.remove([]))
    case ("--json", nil): wantsJSON = true
    case ("--offline", nil): isOffline = true
    case ("--follow", nil): isFollowing = true
    case ("--database", _): database = try option.path()
    case ("--concurrency", _): concurrency = try option.number(in: 1...1000)
    case ("--timeout", _): timeout = try option.seconds(in: 0.001...86_400)
    case ("--every", _): pause = try option.seconds(in: 1...86_400)
    case ("--limit", _), ("-n", _): limit = try option.number(in: 1...100_000)
    default:
      let hint = option.given == nil ? "" : ", or it takes no value"
      throw UsageError("unknown option \(option.name)\(hint)")
    }
  }

  private mutating func choose(_ action: Action) throws(UsageError) {
    guard self.action == .read || self.action == action else {
      throw UsageError("--demo, --list and --remove don't go together")
    }
    self.action = action
  }

  private func checkCombination() throws(UsageError) {
    guard isFollowing, action != .read || isOffline || wantsJSON else { return }
    throw UsageError("--follow doesn't go with --demo, --list, --remove, --offline and --json")
  }

  /// Takes the words that are no options: the feeds to read or to remove.
  private mutating func take(_ words: [String]) throws(UsageError) {
    switch action {
    case .read:
      for word in words {
        guard let url = URL(string: word), url.isWeb else {
          throw UsageError("\"\(word)\" is no http or https URL")
        }
        urls.append(url)
      }
    case .remove:
      guard !words.isEmpty else {
        throw UsageError("--remove needs the URL or the title of a feed")
      }
      action = .remove(words)
    case .demonstrate, .list, .help:
      guard let word = words.first else { return }
      throw UsageError("\"\(word)\" doesn't go with --\(action == .list ? "list" : "demo")")
    }
  }
}

extension URL {
  /// Whether this is an absolute `http` or `https` URL with a host.
  var isWeb: Bool {
    ["http", "https"].contains(scheme?.lowercased()) && host()?.isEmpty == false
  }
}
