import ResourceLoading
import ResourcePrimitives

extension HTTPArchive {
  /// A text in an archive that looks random, as tokens, keys and identifiers do.
  public struct RandomText: Sendable, Hashable {
    /// The text.
    public var text: String
    /// The number of the first entry that contains it, counted from 1.
    public var entry: Int
    /// Where it is in the entry, such as `URL` or `response header X-Id`.
    public var place: String
  }

  /// The texts that look random, each listed once. Check them before you share an archive, because
  /// no rule recognises every secret. ETags and the keys of handshakes aren't included.
  ///
  /// ```swift
  /// for text in try HTTPArchive(contentsOf: file).redacted().randomTexts { print(text) }
  /// ```
  public var randomTexts: [RandomText] {
    var (texts, seen) = ([RandomText](), Set<String>())
    for (index, entry) in entries.enumerated() {
      for (place, content) in entry.places {
        for text in content.runs where text.looksRandom && seen.insert(text).inserted {
          texts.append(RandomText(text: text, entry: index + 1, place: place))
        }
      }
    }
    return texts
  }
}

extension HTTPArchive.Entry {
  fileprivate var places: [(place: String, content: String)] {
    var places = [("URL", request.url)]
    for (part, headers) in [("request", request.headers), ("response", response.headers)] {
      for field in headers where !Self.randomNames.contains(field.name) {
        places.append(("\(part) header \(field.name)", field.value))
      }
    }
    for (part, body) in [("request", request.body), ("response", response.body)] {
      guard let body, !body.data.prefix(512).contains(0) else { continue }
      places.append(("\(part) body", String(decoding: body.data, as: UTF8.self)))
    }
    for (index, message) in messages.enumerated() {
      guard case .text(let text) = message.content else { continue }
      places.append(("message \(index + 1)", text))
    }
    return places
  }

  private static let randomNames: Set<Headers.Name> = [
    .eTag, .ifNoneMatch, "Sec-WebSocket-Key", "Sec-WebSocket-Accept",
  ]
}

extension String {
  /// The runs of base64 characters, without slashes.
  fileprivate var runs: [String] {
    utf8.split { !$0.isASCIILetter && !$0.isASCIIDigit && !"-_+=".utf8.contains($0) }
      .lazy.filter { $0.count >= 16 }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether letters and digits alternate more often than in words, dates and numbers.
  fileprivate var looksRandom: Bool {
    let kinds = utf8.compactMap { byte -> Int? in
      if byte.isASCIIDigit { return 2 }
      return byte.isASCIILetter ? (byte & 0x20 == 0 ? 0 : 1) : nil
    }
    // A word may begin with a capital letter.
    let changes = zip(kinds, kinds.dropFirst()).count { $0 != $1 && ($0, $1) != (0, 1) }
    return kinds.count { $0 == 2 } >= 2 && kinds.contains { $0 != 2 } && changes * 5 >= kinds.count
  }
}
