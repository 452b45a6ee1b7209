import Trials

@testable import ResourceJSON

/// The words for the values of a document, or why it has none.
struct Index: Equatable {
  private var words: [UInt64] = []
  /// What is wrong with the document, and where.
  private(set) var reason: String?
  private var offset = 0

  init(of payload: [UInt8]) {
    payload.withUnsafeBytes { bytes in
      do throws(JSONScanError) {
        guard let text = JSONText(bytes) else { throw JSONScanError("the text is empty", at: 0) }
        words = try Indexer.index(text)
      } catch {
        (reason, offset) = (error.reason, error.offset)
      }
    }
  }
}

extension Index {
  /// Claims that each word stands for what is in the document, in the order of the text.
  func check(against payload: [UInt8]) {
    guard reason == nil else {
      return claim(0...payload.count ~= offset, "a mistake outside: \(offset)")
    }
    payload.withUnsafeBytes { bytes in
      if let text = JSONText(bytes) { check(against: text) }
    }
  }

  private func check(against text: JSONText) {
    // The containers that are open: the word behind each, and how many names and values are left.
    var open: [(end: Int, rest: Int)] = []
    var (word, offset) = (1, 0)
    while word < words.count {
      let value = IndexWord(bits: words[word])
      claim(value.start >= offset && value.offset + value.length <= text.count, "outside")
      offset = value.offset + value.length
      if let last = open.indices.last { open[last].rest -= 1 }
      if value.isContainer {
        claim(text[value.offset] == (value.kind == .array ? 0x5B : 0x7B), "no bracket")
        let (end, count) = (Int(words[word + 1] & 0xFFFF_FFFF), Int(words[word + 1] >> 32))
        claim(end >= word + 2 && end <= open.last?.end ?? words.count, "an end outside")
        open.append((end, value.kind == .array ? count : 2 * count))
        word += 2
      } else {
        check(value, in: text)
        word += 1
      }
      while let last = open.last, last.end == word {
        claim(last.rest == 0, "another number of values")
        open.removeLast()
      }
    }
    claim(word == words.count && open.isEmpty, "a container doesn't end")
  }

  private func check(_ value: IndexWord, in text: JSONText) {
    switch value.kind {
    case .ascii, .text, .escaped:
      claim(text[value.start] == 0x22 && text[value.offset + value.length] == 0x22, "no quotes")
    case .integer, .real: checkNumber(value, in: text)
    case .null: claim(text[value.offset] == UInt8(ascii: "n"), "no null")
    case .true: claim(text[value.offset] == UInt8(ascii: "t"), "no true")
    case .false: claim(text[value.offset] == UInt8(ascii: "f"), "no false")
    case .array, .object: claim(false, "a container")
    }
  }

  /// Claims that a number is what the standard library reads.
  private func checkNumber(_ value: IndexWord, in text: JSONText) {
    let string = text.string(at: value.offset, value.length, isASCII: true)
    let (double, float) = (Double(string), Float(string))
    // One that is too large or too small has none.
    if let ours = text.double(at: value.offset, value.length) {
      claim(ours.bitPattern == double?.bitPattern, "\(ours) for \(string)")
    } else {
      claim(double?.isFinite != true || double == 0, "nothing for \(string)")
    }
    if let ours = text.float(at: value.offset, value.length) {
      claim(ours.bitPattern == float?.bitPattern, "\(ours) for \(string)")
    } else {
      claim(float?.isFinite != true || float == 0, "nothing for \(string)")
    }
    guard value.kind == .integer else { return }
    claim(text.integer(at: value.offset, value.length, Int64.self) == Int64(string), string)
    if let ours = text.shortInteger(at: value.offset, value.length) {
      claim(ours == Int64(string), "\(ours) for \(string)")
    }
  }
}
