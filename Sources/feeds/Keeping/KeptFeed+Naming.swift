import Foundation

extension KeptFeed {
  /// Whether one of some texts is in its title or URL, whatever the case; any feed is named by no texts.
  func isNamed(by texts: [String]) -> Bool {
    texts.isEmpty
      || texts.contains { text in
        [title, url.absoluteString].contains { $0?.localizedCaseInsensitiveContains(text) == true }
      }
  }

  /// Whether a text is its URL or, whatever the case, its title.
  func isCalled(_ name: String) -> Bool {
    url.absoluteString == name || title?.lowercased() == name.lowercased()
  }
}

extension [String] {
  /// The texts in quotation marks, with commas between.
  var quoted: String { map { "\"\(PlainText.visible($0))\"" }.joined(separator: ", ") }
}

extension [URL] {
  /// Each URL once, where it first stands.
  var unique: [URL] {
    var known: Set<URL> = []
    return filter { known.insert($0).inserted }
  }
}
