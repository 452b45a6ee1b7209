import Foundation

/// The command line.
struct Arguments: Equatable, Sendable {
  /// The action.
  var action = Action.read

  /// The feeds to read; none stands for those that are kept.
  var urls: [URL] = []

  /// The library; `nil` for the user's own.
  var database: LibraryLocation?

  /// Whether nothing is loaded.
  var isOffline = false

  /// Whether the items are wanted as JSON.
  var wantsJSON = false

  /// Texts in the titles or URLs of the kept feeds whose items are listed; none stands for all.
  var feeds: [String] = []

  /// The start of the time from which items are listed.
  var since: Moment?

  /// The end of the time for which items are listed.
  var until: Moment?

  /// The number of items that are listed at most.
  var limit = 20

  /// The number of feeds that are loaded at once.
  var concurrency = 8

  /// The time limit of one feed.
  var timeout = Duration.seconds(30)

  /// Asks for nothing in particular.
  init() {}
}

extension Arguments {
  /// An action of the program.
  enum Action: Equatable, Sendable {
    /// Read feeds and list their items.
    case read
    /// Read the recorded feeds.
    case demonstrate
    /// List the feeds that are kept.
    case list
    /// Forget feeds, by URL or title.
    case remove([String])
    /// Show the manual.
    case help
  }
}

extension Arguments {
  /// Reads the words of a command line.
  ///
  /// Options may stand before and behind other words, their values in the next word or behind `=`; `--` ends
  /// them. Words behind `--help` don't matter.
  ///
  /// - Parameter words: The words without the program's own name.
  /// - Throws: `UsageError` for an option that there isn't, a value that is missing or out of its range,
  ///   what doesn't go together, and a word that is no `http` or `https` URL where one is wanted.
  init(_ words: [String]) throws(UsageError) {
    var words = Words(words)
    var others: [String] = []
    while action != .help, let word = words.next() {
      switch word {
      case .other(let text): others.append(text)
      case .option(let name, let value): try take(name, value, &words)
      }
    }
    try take(others)
  }

  private mutating func take(
    _ name: String, _ value: String?, _ words: inout Words
  ) throws(UsageError) {
    switch (name, value) {
    case ("--help", nil), ("-h", nil): action = .help
    case ("--demo", nil): try choose(.demonstrate)
    case ("--list", nil): try choose(.list)
    case ("--remove", nil): try choose(.remove([]))
    case ("--json", nil): wantsJSON = true
    case ("--offline", nil): isOffline = true
    default:
      guard Self.namesWithValue.contains(name) else {
        throw UsageError("unknown option \(name)" + (value == nil ? "" : ", or it takes no value"))
      }
      try set(name, to: try words.value(name, value))
    }
  }

  private static let namesWithValue: Set = [
    "--database", "--feed", "--since", "--until", "--limit", "-n", "--concurrency", "--timeout",
  ]

  private mutating func set(_ name: String, to text: String) throws(UsageError) {
    switch name {
    case "--database": database = try ArgumentValue.location(text, of: name)
    case "--feed": feeds.append(text)
    case "--since": since = try ArgumentValue.moment(text, of: name)
    case "--until": until = try ArgumentValue.moment(text, of: name)
    case "--concurrency": concurrency = try ArgumentValue.number(text, of: name, in: 1...1000)
    case "--timeout": timeout = try ArgumentValue.duration(text, of: name)
    default: limit = try ArgumentValue.number(text, of: "--limit", in: 1...100_000)
    }
  }

  private mutating func choose(_ action: Action) throws(UsageError) {
    guard self.action == .read || self.action == action else {
      throw UsageError("--demo, --list and --remove don't go together")
    }
    self.action = action
  }

  /// Takes the words that are no options.
  private mutating func take(_ words: [String]) throws(UsageError) {
    switch action {
    case .help: return
    case .read:
      for word in words { urls.append(try ArgumentValue.url(word)) }
      guard urls.isEmpty || feeds.isEmpty else {
        throw UsageError("--feed chooses among kept feeds, so it doesn't go with URLs")
      }
    case .remove:
      guard !words.isEmpty else {
        throw UsageError("--remove needs the URL or the title of a feed")
      }
      action = .remove(words)
    case .demonstrate, .list:
      guard let word = words.first else { return }
      throw UsageError("\"\(word)\" doesn't go with --\(action == .list ? "list" : "demo")")
    }
  }
}

/// The words of a command line, told apart one by one.
struct Words {
  /// A kind of word.
  enum Word: Equatable {
    /// A name with its dashes, and what stands behind `=`, if there is one.
    case option(String, String?)
    /// Any other word.
    case other(String)
  }

  private var rest: ArraySlice<String>
  private var hasOptions = true

  init(_ words: [String]) { rest = words[...] }

  /// The next word, `nil` behind the last.
  mutating func next() -> Word? {
    guard let word = rest.popFirst() else { return nil }
    guard hasOptions, word.hasPrefix("-") else { return .other(word) }
    guard word != "--" else {
      hasOptions = false
      return next()
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return .option(String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
  }

  /// The value of an option: the one behind its `=`, else the next word.
  ///
  /// - Throws: `UsageError` if there is neither.
  mutating func value(_ option: String, _ given: String?) throws(UsageError) -> String {
    guard let value = given ?? rest.popFirst() else {
      throw UsageError("\(option) needs a value")
    }
    return value
  }
}

/// A command line that can't be understood.
struct UsageError: Error, Equatable {
  /// The mistake, in a sentence without a full stop.
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

extension UsageError: CustomStringConvertible {
  var description: String { reason }
}
