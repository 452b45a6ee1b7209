import Foundation

/// Searches a text for many known secrets in one pass: as they are, in base64 and in hexadecimal.
/// Escapes are removed from the text first (``SourceText``), and a `+` counts as a space.
///
/// At most ``capacity`` secrets are known: those of the first lists first, and the longest of each
/// list. A pass takes time in proportion to the bytes, however many secrets are known, because a
/// comparison ends after ``certainty`` bytes, which count as a find.
package struct KnownSecrets: Sendable {
  /// The most secrets that are known.
  package static let capacity = 64
  /// The number of equal bytes at which part of a text counts as the whole.
  static let certainty = 64
  /// The shortest secret: shorter ones would occur by chance.
  package static let shortest = 6
  /// The shortest part of a cut text that counts as one.
  private static let shortestPart = 3

  private struct Text {
    var bytes: [UInt8]
    var secret: String
  }

  /// The forms, sorted, so that those with the same beginning are adjacent.
  private let texts: [Text]
  /// The texts that begin with a byte.
  private var ranges = [Range<Int>](repeating: 0..<0, count: 256)

  /// Stores the longest of some secrets, with escapes or without. Those of a list take precedence
  /// over those of the next.
  package init(_ lists: [Set<String>], capacity: Int = Self.capacity) {
    var secrets: [String] = []
    for list in lists {
      let longest = list.filter { $0.utf8.count >= Self.shortest && !secrets.contains($0) }
        .sorted { $0.utf8.count > $1.utf8.count }
      secrets += longest.prefix(capacity - secrets.count)
    }
    texts = secrets.flatMap { secret in
      Self.forms(of: secret).map { Text(bytes: $0, secret: secret) }
    }
    .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    for (index, text) in texts.enumerated() {
      let range = ranges[Int(text.bytes[0])]
      ranges[Int(text.bytes[0])] = (range.isEmpty ? index : range.lowerBound)..<index + 1
    }
  }

  var isEmpty: Bool { texts.isEmpty }
}

extension KnownSecrets {
  /// Returns the forms in which a secret is found, in text without escapes. What looks like an
  /// escape may be a part of the secret, so each layer counts, and each kind of escapes on its own.
  private static func forms(of secret: String) -> Set<[UInt8]> {
    let text = SourceText(Array(secret.utf8))
    var texts = Set(SourceText.escapeMarks.map { text.withoutEscapes(beginningWith: $0) })
    text.forEachLayer { texts.insert($0.bytes) }
    return texts.reduce(into: []) { $0.formUnion(forms(ofText: $1)) }
  }

  private static func forms(ofText bytes: [UInt8]) -> Set<[UInt8]> {
    guard bytes.count >= shortest else { return [] }
    var forms: Set<[UInt8]> = [bytes.map(folded)]
    for digits in ["0123456789abcdef", "0123456789ABCDEF"].map({ Array($0.utf8) }) {
      forms.insert(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
    // In the base64 of a longer text it begins at one of three bits.
    for offset in 0..<3 {
      let text = Data(repeating: 0, count: offset) + bytes
      let encoded = Array(text.base64EncodedData())
      let whole = encoded[(offset * 8 + 5) / 6..<text.count * 8 / 6]
      guard whole.count >= 8 else { continue }
      forms.formUnion([whole.map(folded), whole.map { folded(inURL($0)) }])
      guard offset == 0 else { continue }
      for standing in [encoded[...], encoded.prefix { $0 != UInt8(ascii: "=") }] {
        forms.formUnion([standing.map(folded), standing.map { folded(inURL($0)) }])
      }
    }
    return forms
  }

  private static func inURL(_ byte: UInt8) -> UInt8 {
    byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? 0x5F : byte
  }

  /// The space of a form is a `+`.
  private static func folded(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: "+") ? 0x20 : byte }
}

extension KnownSecrets {
  /// Returns where known secrets stand, in order and apart from each other.
  package func findings(in bytes: [UInt8]) -> [SecretText.Finding] {
    guard !isEmpty else { return [] }
    var findings: [SecretText.Finding] = []
    for place in bytes.indices {
      // One secret may begin within another.
      guard let (end, secret) = longestText(at: place, in: bytes),
        end > findings.last?.range.upperBound ?? 0
      else { continue }
      findings.append(SecretText.Finding(range: place..<end, known: secret))
    }
    return findings.apart
  }

  /// Returns the end of the longest known text that begins at a place, and its secret.
  private func longestText(at start: Int, in bytes: [UInt8]) -> (end: Int, secret: String)? {
    var candidates = ranges[Int(Self.folded(bytes[start]))]
    var (depth, found) = (1, nil as (Int, String)?)
    while !candidates.isEmpty {
      let first = texts[candidates.lowerBound]
      // A text that ends here sorts first among those that begin with it.
      if first.bytes.count == depth || depth >= Self.certainty {
        found = (start + depth, first.secret)
      }
      guard start + depth < bytes.count else { break }
      candidates = narrowed(candidates, depth, Self.folded(bytes[start + depth]))
      depth += 1
    }
    return found
  }

  /// Returns the candidates that have a byte at a depth.
  private func narrowed(_ candidates: Range<Int>, _ depth: Int, _ byte: UInt8) -> Range<Int> {
    let lower = first(of: candidates) { $0.count > depth && $0[depth] >= byte }
    return lower..<first(of: lower..<candidates.upperBound) { $0[depth] > byte }
  }

  /// Returns the first of some candidates that fulfils a condition, as all after it do.
  private func first(of candidates: Range<Int>, where isBehind: ([UInt8]) -> Bool) -> Int {
    var (lower, upper) = (candidates.lowerBound, candidates.upperBound)
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      if isBehind(texts[middle].bytes) { upper = middle } else { lower = middle + 1 }
    }
    return lower
  }
}

extension KnownSecrets {
  /// Returns how many bytes at the beginning are the end of a known text, of which the rest was cut
  /// off.
  package func cutText(atStartOf text: [UInt8]) -> Int {
    longestCut(text) { layer, text, count in
      guard layer.bytes.prefix(count).lazy.map(Self.folded).elementsEqual(text.suffix(count)) else {
        return nil
      }
      return layer.origin(of: 0..<count).upperBound
    }
  }

  /// Returns how many bytes at the end are the beginning of a known text, of which the rest was cut
  /// off.
  package func cutText(atEndOf text: [UInt8]) -> Int {
    longestCut(text) { layer, known, count in
      guard layer.bytes.suffix(count).lazy.map(Self.folded).elementsEqual(known.prefix(count))
      else {
        return nil
      }
      let end = layer.bytes.count
      return text.count - layer.origin(of: end - count..<end).lowerBound
    }
  }

  private func longestCut(
    _ text: [UInt8], _ cut: (SourceText, [UInt8], Int) -> Int?
  ) -> Int {
    var longest = 0
    SourceText(text).forEachLayer { layer in
      for known in texts.lazy.map(\.bytes) {
        // From that length on, a part counts as a whole text.
        let most = min(known.count - 1, layer.bytes.count, Self.certainty)
        guard most >= Self.shortestPart else { continue }
        for count in (Self.shortestPart...most).reversed() {
          guard let found = cut(layer, known, count) else { continue }
          longest = max(longest, found)
          break
        }
      }
    }
    return longest
  }
}
