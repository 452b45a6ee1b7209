import Foundation

/// A feed that is to be read.
struct Source: Sendable, Equatable {
  /// What it is called until its own title is known.
  var name: String

  /// Where it is.
  var url: URL
}

extension Source {
  /// A feed of which only the URL is known. Its name leaves out what may be secret.
  init(_ url: URL) {
    let path = url.path()
    self.init(name: (url.host() ?? "") + (path == "/" ? "" : path), url: url)
  }
}
