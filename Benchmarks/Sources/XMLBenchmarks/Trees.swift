import Foundation
import Measuring
import ResourceXML
import Rows

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A document read into a tree.
func registerTrees() {
  register(.xmlTree, Documents.feed)
  register(.xmlTreeLarge, Documents.largeFeed)
  register(.xmlTreeDense, Documents.dense)
  Row.xmlTreeLarge.register(.sameInSmall) { count in
    for _ in 0..<count / Row.xmlTree.operations { blackHole(tree(of: Documents.feed)) }
  }
}

private func register(_ row: Row, _ document: @autoclosure @escaping @Sendable () -> Data) {
  row.register(.ours, given: document) { _, data in blackHole(tree(of: data)) }
  row.register(.foundationXML, given: document) { _, data in blackHole(Listener.events(of: data)) }
  row.register(.foundationTree, given: document) { _, data in
    do { blackHole(try XMLDocument(data: data)) } catch { preconditionFailure("\(error)") }
  }
}

@inline(never)
func tree(of data: Data) -> XMLTree {
  do {
    return try XMLTree(parsing: data)
  } catch {
    preconditionFailure("the document is refused: \(error)")
  }
}
