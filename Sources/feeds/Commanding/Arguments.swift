import Foundation

/// What was asked on the command line.
struct Arguments: Equatable, Sendable {
  /// What is to be done.
  var action = Action.read

  /// The feeds to read; none stands for those that are kept.
  var urls: [URL] = []

  /// Where feeds and items are kept; `nil` for the user's own library.
  var database: LibraryPlace?

  /// Whether nothing is loaded.
  var isOffline = false

  /// Whether the items are wanted as JSON.
  var wantsJSON = false

  /// Of which kept feeds items are listed: texts in their titles or URLs; none stands for all.
  var feeds: [String] = []

  /// From when on items are listed.
  var since: Moment?

  /// Until when items are listed.
  var until: Moment?

  /// How many items are listed at most.
  var limit = 20

  /// How many feeds are loaded at once at most.
  var concurrency = 8

  /// How long one feed may take.
  var timeout = Duration.seconds(30)

  /// Asks for nothing in particular.
  init() {}
}

extension Arguments {
  /// What the program can do.
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
