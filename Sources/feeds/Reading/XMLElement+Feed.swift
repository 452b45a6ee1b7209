import Foundation
import ResourceXML

extension XMLTree.Element {
  /// The elements in this one that have a name of its own vocabulary, whatever their case. A `media:title`
  /// is no `title`.
  func own(_ name: String) -> [XMLTree.Element] {
    let namespace = self.name.namespace
    return elements.filter {
      $0.name.namespace == namespace && $0.name.local.lowercased() == name.lowercased()
    }
  }

  /// The elements in this one that have a name of a module.
  func elements(_ name: String, of module: FeedModule) -> [XMLTree.Element] {
    elements.filter { element in
      guard let namespace = element.name.namespace else {
        return element.name.qualified == "\(module.prefix):\(name)"
      }
      return element.name.local == name && module.isNamed(by: namespace)
    }
  }

  /// The text without the white space around it, `nil` if nothing is left.
  var trimmedText: String? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? nil : text
  }

  /// The value of an attribute that isn't empty.
  func value(_ attribute: String) -> String? {
    self.attribute(attribute).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Where relative links in this element start (XML Base).
  func base(_ base: URL) -> URL {
    URL.link(attribute("xml:base"), base: base) ?? base
  }
}

extension Sequence<XMLTree.Element> {
  /// The first text that isn't empty.
  var text: String? { lazy.compactMap(\.trimmedText).first }

  /// The first text that isn't empty, on one line, whether it is plain or HTML.
  var line: String? { lazy.compactMap { PlainText.line(ofHTML: $0.text) }.first }

  /// All texts that aren't empty, each on one line.
  var lines: [String] { compactMap { PlainText.line(ofHTML: $0.text) } }

  /// The first date that can be read.
  var date: Date? { lazy.compactMap { FeedDate.parse($0.text) }.first }
}
