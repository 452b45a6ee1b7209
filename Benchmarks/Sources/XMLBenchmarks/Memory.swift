import CAllocations
import Foundation
import Measuring
import ResourceXML
import Rows

/// What is in use at the worst moment besides the document, which the caller holds.
func registerMemory() {
  register(.xmlEventsMemory, Documents.largeFeed) { blackHole(events(of: $0)) }
  register(.xmlTreeMemory, Documents.largeFeed) { blackHole(tree(of: $0)) }
  register(.xmlTreeDenseMemory, Documents.dense) { blackHole(tree(of: $0)) }
  register(.xmlDecodeMemory, Documents.largeFeed) { blackHole(decode(Feed.self, from: $0)) }
}

private func register(
  _ row: Row, _ document: @autoclosure @escaping @Sendable () -> Data,
  _ body: @escaping @Sendable (Data) -> Void
) {
  row.registerCount(.ours) { _ in
    let data = document()
    allocations_begin()
    body(data)
    return allocations_end().peak
  }
  row.registerCount(.document) { _ in document().count }
}
