import Foundation

/// Searches a text for many known texts in one pass.
///
/// At most ``capacity`` texts are known: of the first lists first, and the longest of each. A pass takes time in
/// proportion to the bytes, however many texts are known: a comparison ends after ``certainty`` bytes, from which on a
/// text counts as found.
package struct KnownSecrets: Sendable {
  /// The most texts that are known.
  package static let capacity = 64
  /// The number of equal bytes from which on a part of a text counts as the text.
  static let certainty = 64
  /// The shortest text: shorter ones would occur by chance.
  package static let shortest = 6
  /// The shortest part of a text that was cut which counts as one.
  private static let shortestPart = 3

  /// The texts, sorted, so that those with the same beginning are adjacent.
  private let texts: [[UInt8]]
  /// The texts that begin with a byte.
  private var ranges = [Range<Int>](repeating: 0..<0, count: 256)

  /// Stores the longest of some texts.
  ///
  /// - Parameters:
  ///   - lists: The texts; those of a list take precedence over those of the next.
  ///   - capacity: The most texts that are known.
  package init(_ lists: [Set<String>], capacity: Int = Self.capacity) {
    var chosen: [[UInt8]] = []
    for list in lists {
      let longest = list.lazy.map { Array($0.utf8) }.filter { $0.count >= Self.shortest }
        .sorted { $0.count > $1.count }
      chosen += longest.prefix(capacity - chosen.count)
    }
    texts = chosen.sorted { $0.lexicographicallyPrecedes($1) }
    for (index, text) in texts.enumerated() {
      let range = ranges[Int(text[0])]
      ranges[Int(text[0])] = (range.isEmpty ? index : range.lowerBound)..<index + 1
    }
  }

  var isEmpty: Bool { texts.isEmpty }
}

extension KnownSecrets {
  /// Returns a value as it is, without escapes, and with those of a URL, of JSON and of HTML.
  package static func forms(of value: String) -> Set<String> {
    guard value.utf8.count >= shortest else { return [] }
    let plain = value.removingPercentEncoding ?? value
    let json = plain.replacing(["\"": "\\\"", "\\": "\\\\"])
    let html = plain.replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"])
    return [
      value, plain, PercentEncoding.unreserved.encode(value),
      PercentEncoding.unreserved.encode(plain), json, json.replacing(["/": "\\/"]), html,
      html.replacing(["'": "&#39;"]), html.replacing(["'": "&#039;"]),
      html.replacing(["'": "&#x27;"]),
    ]
  }
}

extension KnownSecrets {
  /// Returns where known texts stand, in order and apart from each other.
  package func findings(in bytes: [UInt8]) -> [Range<Int>] {
    guard !isEmpty else { return [] }
    var findings: [Range<Int>] = []
    var place = 0
    while place < bytes.count {
      guard let end = end(ofTextAt: place, in: bytes) else {
        place += 1
        continue
      }
      findings.append(place..<end)
      place = end
    }
    return findings
  }

  /// Returns how many bytes at the beginning are the end of a known text, of which the rest was cut off.
  func cutText(atStartOf bytes: some BidirectionalCollection<UInt8>) -> Int {
    longestCut(bytes.count) { text, count in
      text.suffix(count).elementsEqual(bytes.prefix(count))
    }
  }

  /// Returns how many bytes at the end are the beginning of a known text, of which the rest was cut off.
  func cutText(atEndOf bytes: some BidirectionalCollection<UInt8>) -> Int {
    longestCut(bytes.count) { text, count in
      text.prefix(count).elementsEqual(bytes.suffix(count))
    }
  }

  private func longestCut(_ room: Int, _ isCut: ([UInt8], Int) -> Bool) -> Int {
    texts.reduce(0) { longest, text in
      // From certainty on, what stands there counts as a text of its own.
      let most = min(text.count - 1, room, Self.certainty)
      guard most >= Self.shortestPart else { return longest }
      let count = (Self.shortestPart...most).last { isCut(text, $0) } ?? 0
      return max(longest, count)
    }
  }

  /// Returns the end of the longest known text that begins at a place.
  private func end(ofTextAt start: Int, in bytes: [UInt8]) -> Int? {
    var candidates = ranges[Int(bytes[start])]
    var (depth, end) = (1, nil as Int?)
    while !candidates.isEmpty {
      // A text that ends here sorts first among those that begin with it.
      if texts[candidates.lowerBound].count == depth { end = start + depth }
      if depth >= Self.certainty { end = start + depth }
      guard start + depth < bytes.count else { break }
      candidates = narrowed(candidates, depth, bytes[start + depth])
      depth += 1
    }
    return end
  }

  private func narrowed(_ candidates: Range<Int>, _ depth: Int, _ byte: UInt8) -> Range<Int> {
    var (lower, upper) = (candidates.lowerBound, candidates.upperBound)
    while lower < upper, texts[lower].count <= depth || texts[lower][depth] < byte { lower += 1 }
    while upper > lower, texts[upper - 1].count > depth, texts[upper - 1][depth] > byte {
      upper -= 1
    }
    return lower..<upper
  }
}
