import ResourceXML

/// The content of a tree as events, so that it can be compared with the parser's events.
struct TreeEvents {
  private(set) var events: [XMLEvent] = []

  init(_ tree: XMLTree) {
    append(tree.root)
  }

  /// - Parameter document: The parser's events, reduced to what a tree keeps, with joined runs of
  ///   text.
  init(_ document: [XMLEvent]) {
    for event in document {
      switch event {
      case .startElement(let name, let attributes):
        let attributes = attributes.map { XMLEvent.Attribute(name: $0.name, value: $0.value) }
        events.append(.startElement(name, attributes: attributes))
      case .endElement: events.append(event)
      case .text(let text): append(text)
      default: break
      }
    }
  }

  private mutating func append(_ text: String) {
    if case .text(let before) = events.last {
      events[events.count - 1] = .text(before + text)
    } else {
      events.append(.text(text))
    }
  }

  private mutating func append(_ element: XMLTree.Element) {
    let attributes = element.attributes.map { XMLEvent.Attribute(name: $0.name, value: $0.value) }
    events.append(.startElement(element.name, attributes: attributes))
    for item in element.content {
      switch item {
      case .element(let inner): append(inner)
      // Not joined, because a tree with two consecutive runs would be wrong.
      case .text(let text): events.append(.text(text))
      }
    }
    events.append(.endElement(element.name))
  }
}

extension TreeEvents {
  /// All the text of the events.
  var text: String {
    events.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
  }
}
