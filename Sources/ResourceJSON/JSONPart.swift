/// A part of a document, in the order of the text. A type that takes any JSON is read as parts,
/// without trying one type after the other.
package enum JSONPart {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  /// The name of the member that follows.
  case name(String)
  /// The beginning of an array or an object.
  case start
  case end(isObject: Bool)
}

extension JSONReader {
  /// Calls a closure with the parts of a decoder's value.
  ///
  /// - Returns: Whether the decoder is one of this module's; otherwise the closure isn't called.
  package static func forEachPart(
    in decoder: any Decoder, _ body: (JSONPart) -> Void
  ) -> Bool {
    guard let decoder = decoder as? JSONValueDecoder else { return false }
    decoder.forEachPart(body)
    return true
  }
}

extension JSONValueDecoder {
  /// Calls a closure with the parts of the decoder's value.
  fileprivate func forEachPart(_ body: (JSONPart) -> Void) {
    let stop = document.next(word)
    var open: [(end: Int, isObject: Bool)] = []
    var word = word
    while word < stop {
      if open.last?.isObject == true {
        body(.name(document.string(document[word])))
        word += 1
      }
      if document[word].isContainer {
        body(.start)
        open.append((document.end(of: word), document[word].kind == .object))
        word += 2
      } else {
        body(scalar(word))
        word += 1
      }
      while let last = open.last, last.end == word {
        body(.end(isObject: last.isObject))
        open.removeLast()
      }
    }
  }

  /// Returns the part for a value that is no container.
  private func scalar(_ word: Int) -> JSONPart {
    let value = document[word]
    switch value.kind {
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .ascii, .text, .escaped: return .string(document.string(value))
    case .integer, .real:
      let text = document.text.string(at: value.offset, value.length, isASCII: true)
      return .number(JSONNumber(unchecked: text))
    case .null, .array, .object: return .null
    }
  }
}
