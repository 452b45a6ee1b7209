/// The words of a document of which only the beginning is there.
extension Indexer {
  /// A place at which the words of an incomplete document can end.
  struct Cut {
    /// The number of words before it.
    let words: Int
    /// The open containers.
    let open: ArraySlice<Int>
    /// The number of values of the innermost of them.
    let count: Int
    /// A string behind the words, which is a value.
    var string: IndexWord?
  }

  /// The places at which the words can end: with the open string, with the last complete value,
  /// and before each of the open containers but the outermost.
  var cuts: [Cut] {
    let open = openContainers[...]
    var cuts: [Cut] = []
    // A name without its value is of no use.
    let hasName = isObject && depth > 0 && isBehindName
    if case .string(let string) = stop, !string.isName,
      string.end - string.start <= IndexWord.maximumLength
    {
      let word = IndexWord(string.kind, at: string.start, length: string.end - string.start)
      cuts.append(
        Cut(words: words.count, open: open, count: depth > 0 ? count + 1 : 1, string: word))
    }
    guard !open.isEmpty else { return cuts }
    var complete = count
    if case .follower = stop { complete += 1 }
    cuts.append(
      Cut(words: words.count - (hasName ? 1 : 0), open: open, count: complete))
    for position in open.indices.dropFirst().reversed() {
      let container = open[position]
      let outer = open[position - 1]
      let isMember = IndexWord(bits: words[outer]).kind == .object
      cuts.append(
        Cut(
          words: container - (isMember ? 1 : 0), open: open[..<position],
          count: Int(truncatingIfNeeded: words[container + 1] >> 32)))
    }
    return cuts
  }

  /// Whether the last word is a name whose value isn't listed.
  private var isBehindName: Bool {
    switch stop {
    case .colon, .value, .number: true
    case .string(let string): !string.isName
    case .name, .follower: false
    }
  }

  /// Returns the words before a cut, with all containers closed.
  func words(endingAt cut: Cut) -> [UInt64] {
    var result = Array(words[..<cut.words])
    if let string = cut.string { result.append(string.bits) }
    for position in cut.open.indices {
      let container = cut.open[position]
      let isInnermost = position == cut.open.endIndex - 1
      // While a container is open, the one inside it holds the number of its values.
      let count =
        isInnermost
        ? cut.count : Int(truncatingIfNeeded: words[cut.open[position + 1] + 1] >> 32) + 1
      result[container + 1] = Self.pair(result.count, count)
    }
    return result
  }
}
