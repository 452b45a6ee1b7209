/// The elements in an element, sorted by name, so that looking for each key of a large element costs a
/// search and not a walk.
final class ChildIndex {
  /// Elements with less in them are walked.
  static let worthwhile = 128

  private let keys: [UInt32]
  private let children: [Int]

  init(of node: Int, in session: DecodingSession) {
    var pairs: [(key: UInt32, child: Int)] = []
    var i = node + 1
    while i < Int(session.nodes[node].end) {
      let child = session.nodes[i]
      if child.isElement { pairs.append((session.local[Int(child.name)], i)) }
      i = Int(child.end)
    }
    pairs.sort { ($0.key, $0.child) < ($1.key, $1.child) }
    keys = pairs.map(\.key)
    children = pairs.map(\.child)
  }

  /// The children with a local name, in document order.
  func children(_ local: UInt32) -> ArraySlice<Int> {
    let start = position(of: local)
    var end = start
    while end < keys.count, keys[end] == local { end += 1 }
    return children[start..<end]
  }

  private func position(of local: UInt32) -> Int {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < local { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
