import Foundation
import Measuring
import ResourceXML
import Rows

/// A document told in events.
func registerParsing() {
  register(.xmlEvents, Documents.feed)
  register(.xmlEventsLarge, Documents.largeFeed)
  register(.xmlEventsDense, Documents.dense)
  Row.xmlEventsLarge.register(.sameInSmall) { count in
    for _ in 0..<count / Row.xmlEvents.operations { blackHole(events(of: Documents.feed)) }
  }
}

private func register(_ row: Row, _ document: @autoclosure @escaping @Sendable () -> Data) {
  row.register(.ours, given: document) { _, data in blackHole(events(of: data)) }
  row.register(.foundationXML, given: document) { _, data in blackHole(Listener.events(of: data)) }
}

/// Counts the events that FoundationXML's parser is asked for, too.
@inline(never)
func events(of data: Data) -> Int {
  var count = 0
  do {
    try XMLEventParser.parse(data) { event in
      switch event {
      case .startElement, .endElement, .text: count += 1
      default: break
      }
    }
  } catch {
    preconditionFailure("the document is refused: \(error)")
  }
  return count
}
