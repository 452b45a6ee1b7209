import Foundation
import ResourceLoading

extension SecretStandIns {
  mutating func replaceNamed(in body: HTTPArchive.Body, isSent: Bool) -> HTTPArchive.Body {
    var body = body
    let type = MediaType(rawValue: body.mediaType ?? "")
    let bytes = Array(body.data)
    if type.essence.hasPrefix("multipart/"), let boundary = type.parameter("boundary") {
      body.data = Data(replaceNamed(inParts: bytes, between: boundary, isSent: isSent))
    } else if !body.data.prefix(512).contains(0) {
      body.data = Data(replaceNamed(in: bytes, isSent: isSent))
    }
    if body.isComplete { body.size = body.data.count }
    return body
  }

  mutating func replaceNamed(in text: String) -> String {
    String(decoding: replaceNamed(in: Array(text.utf8), isSent: true), as: UTF8.self)
  }

  /// Replaces the values under the names of secrets. Every one that was sent is a secret elsewhere, too; of those that
  /// were received, a plain word is no secret elsewhere.
  mutating func replaceNamed(in bytes: [UInt8], isSent: Bool) -> [UInt8] {
    let findings = SecretText.findings(
      in: bytes, names: rules.secretNames, publicNames: rules.publicNames)
    var (replaced, copied) = ([UInt8](), 0)
    for finding in findings {
      replaced += bytes[copied..<finding.range.lowerBound]
      let value = bytes[finding.range]
      replaced +=
        finding.needsQuotes
        ? replaceJSON(value, isSent: isSent)
        : Array(replaceValue(String(decoding: value, as: UTF8.self), isSent: isSent).utf8)
      copied = finding.range.upperBound
    }
    return replaced + bytes[copied...]
  }

  private mutating func replaceValue(_ value: String, isSent: Bool) -> String {
    // User info: the password by itself, too.
    if isSent, let (_, password) = value.cut(at: ":"), password.utf8.count >= KnownSecrets.shortest
    {
      _ = standIn(for: String(password))
    }
    // A form's spaces.
    if isSent, value.utf8.contains(UInt8(ascii: "+")) {
      _ = standIn(for: value.replacing(["+": " "]))
    }
    return standIn(for: value, isWanted: isSent || !value.isWord)
  }

  mutating func replace(_ known: KnownSecrets, in bytes: [UInt8]) -> [UInt8] {
    let findings = known.findings(in: bytes).filter { !bytes.isName($0) }
    guard !findings.isEmpty else { return bytes }
    var (replaced, copied) = ([UInt8](), 0)
    for range in findings {
      replaced += bytes[copied..<range.lowerBound]
      let text = String(decoding: bytes[range], as: UTF8.self)
      replaced +=
        (forms[text].map { StandIn.text($0, isNumeric: text.hasOnlyDigits) }
        ?? standIn(for: text, isWanted: false)).utf8
      copied = range.upperBound
    }
    return replaced + bytes[copied...]
  }
}

// MARK: - JSON

extension SecretStandIns {
  /// Replaces what is in a value of JSON without quotes of its own: a number by a number, and the texts in a list or an
  /// object, so that it can still be decoded. Names of members stay if they are words.
  private mutating func replaceJSON(_ value: ArraySlice<UInt8>, isSent: Bool) -> [UInt8] {
    var (replaced, place) = ([UInt8](), value.startIndex)
    while place < value.endIndex {
      let byte = value[place]
      if byte == UInt8(ascii: "\"") {
        let end = value.endOfString(from: place + 1)
        let text = String(decoding: value[place + 1..<end], as: UTF8.self)
        let isName = value[min(end + 1, value.endIndex)...].first { $0 > 0x20 } == UInt8(ascii: ":")
        let keeps = text.isEmpty || isName && text.isWord
        replaced += (keeps ? "\"\(text)\"" : "\"\(replaceValue(text, isSent: isSent))\"").utf8
        place = min(end + 1, value.endIndex)
      } else if "{}[]:, \t\r\n".utf8.contains(byte) {
        replaced.append(byte)
        place += 1
      } else {
        let end =
          value[place...].firstIndex { "{}[]:, \t\r\n\"".utf8.contains($0) } ?? value.endIndex
        replaced +=
          replaceBare(String(decoding: value[place..<end], as: UTF8.self), isSent: isSent)
          .utf8
        place = end
      }
    }
    return replaced
  }

  private mutating func replaceBare(_ text: String, isSent: Bool) -> String {
    if ["true", "false", "null"].contains(text) { return text }
    let standIn = replaceValue(text, isSent: isSent)
    // The stand-in of digits is a number itself.
    guard let number = StandIn.number(of: standIn) else { return standIn }
    return Double(text) == nil ? "\"\(standIn)\"" : StandIn.text(number, isNumeric: true)
  }
}

extension [UInt8] {
  /// Whether a range is the name of a member of JSON, and a word. A sent `key=created` doesn't make a secret of that.
  fileprivate func isName(_ range: Range<Int>) -> Bool {
    let quote = UInt8(ascii: "\"")
    guard range.lowerBound > 0, self[range.lowerBound - 1] == quote,
      range.upperBound < count, self[range.upperBound] == quote,
      self[(range.upperBound + 1)...].first(where: { $0 > 0x20 }) == UInt8(ascii: ":")
    else { return false }
    return String(decoding: self[range], as: UTF8.self).isWord
  }
}

extension ArraySlice<UInt8> {
  /// The place of the quote that ends a string of JSON.
  fileprivate func endOfString(from start: Int) -> Int {
    var place = start
    while place < endIndex, self[place] != UInt8(ascii: "\"") {
      place += self[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return Swift.min(place, endIndex)
  }
}

// MARK: - Multipart

extension SecretStandIns {
  /// Replaces the secrets in the parts of a multipart body (RFC 7578), of which each is known by its name.
  private mutating func replaceNamed(
    inParts bytes: [UInt8], between boundary: String, isSent: Bool
  ) -> [UInt8] {
    let mark = Array("--\(boundary)".utf8)
    var (replaced, rest) = ([UInt8](), bytes[...])
    while let range = rest.firstRange(of: mark) {
      replaced += replacePart(rest[..<range.lowerBound], isSent: isSent) + mark
      rest = rest[range.upperBound...]
    }
    return replaced + replacePart(rest, isSent: isSent)
  }

  private mutating func replacePart(_ part: ArraySlice<UInt8>, isSent: Bool) -> [UInt8] {
    guard let blank = part.firstRange(of: Array("\r\n\r\n".utf8)) else {
      return replaceNamed(in: Array(part), isSent: isSent)
    }
    let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
    let hasLineEnd =
      part.suffix(2).elementsEqual("\r\n".utf8) && part.endIndex - 2 >= blank.upperBound
    let content = part[blank.upperBound..<(hasLineEnd ? part.endIndex - 2 : part.endIndex)]
    let name = head.components(separatedBy: "\r\n").lazy
      .compactMap { $0.cut(at: ":") }
      .first { $0.before.trimmingSpaces().lowercased() == "content-disposition" }
      .flatMap { MediaType(rawValue: $0.behind.trimmingSpaces()).parameter("name") }
    var replaced = Array(content)
    if let name, isSecret(name), !content.isEmpty {
      replaced = Array(
        replaceValue(String(decoding: content, as: UTF8.self), isSent: isSent).utf8)
    } else if !content.prefix(512).contains(0) {
      replaced = replaceNamed(in: replaced, isSent: isSent)
    }
    return Array(part[..<blank.upperBound]) + replaced + (hasLineEnd ? Array("\r\n".utf8) : [])
  }
}
