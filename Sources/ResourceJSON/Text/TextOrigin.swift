/// The position in a document at which a text begins.
struct TextOrigin {
  let encoding: JSONEncoding
  private var line = 1
  private var column = 1
  private(set) var offset: Int
  /// Whether nothing precedes the text.
  private(set) var isStart = true

  /// Creates the origin of a whole document.
  init(_ encoding: JSONEncoding) {
    self.encoding = encoding
    offset = encoding.mark
  }
}

extension TextOrigin {
  /// Returns the position of an offset in UTF-8.
  func position(of offset: Int, in text: JSONText) -> JSONPosition {
    let moved = moved(to: offset, in: text)
    return JSONPosition(line: moved.line, column: moved.column, offset: moved.offset)
  }

  /// Returns the origin of the rest of a text.
  func moved(to offset: Int, in text: JSONText) -> TextOrigin {
    let offset = min(offset, text.count)
    // A byte order mark has no column.
    let hasMark = isStart && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
    let mark = hasMark ? min(3, offset) : 0
    var moved = self
    moved.isStart = isStart && offset == 0
    moved.offset += unsafe text.withBytes(at: 0, offset) { unsafe encoding.size(of: $0) }
    var start = mark
    var position = 0
    while let end = text.offset(of: 0x0A, in: position..<offset) {
      moved.line += 1
      moved.column = 1
      (position, start) = (end + 1, end + 1)
    }
    moved.column += Self.characters(in: text, start..<offset)
    return moved
  }
}

extension TextOrigin {
  /// Returns the number of characters in a part of a line.
  ///
  /// Two plain characters that follow each other are never one. Others are counted with their
  /// neighbours, which may belong to them.
  private static func characters(in text: JSONText, _ line: Range<Int>) -> Int {
    var count = 0
    var position = line.lowerBound
    var last = 0
    while position < line.upperBound {
      if position + 8 <= line.upperBound, let word = text.word(at: position),
        word & 0x8080_8080_8080_8080 == 0
      {
        count += 8
        position += 8
        last = 1
        continue
      }
      let length = text.plainCharacter(at: position)
      guard length == 0 else {
        count += 1
        position += length
        last = length
        continue
      }
      var end = position
      while end < line.upperBound, text.plainCharacter(at: end) == 0 { end += 1 }
      let next = end < line.upperBound ? text.plainCharacter(at: end) : 0
      let stop = min(end + next, line.upperBound)
      let characters = unsafe text.withBytes(at: position - last, stop - position + last) {
        unsafe String(decoding: $0, as: UTF8.self).count
      }
      count += characters - (last > 0 ? 1 : 0) - (stop > end ? 1 : 0)
      (position, last) = (end, 0)
    }
    return count
  }
}

extension JSONText {
  /// The length of a character that is never one with its neighbour if that is such a character,
  /// too: ASCII, and most of Latin, Greek, Cyrillic, Chinese, Japanese and Korean; 0 for any other.
  ///
  /// The source is UAX 29: they have the property Other, or are whole syllables of Hangul.
  @inline(__always)
  fileprivate func plainCharacter(at offset: Int) -> Int {
    let byte = self[offset]
    guard byte >= 0x80 else { return 1 }
    return plainCharacter(byte, at: offset)
  }

  private func plainCharacter(_ lead: UInt8, at offset: Int) -> Int {
    let second = self[offset + 1]
    let third = self[offset + 2]
    switch lead {
    // U+00C0 to U+02FF, U+0380 to U+047F, U+04C0 to U+053F.
    case 0xC3...0xCB, 0xCE...0xD1, 0xD3, 0xD4: return second & 0xC0 == 0x80 ? 2 : 0
    // U+4000 to U+9FFF, U+B000 to U+CFFF.
    case 0xE4...0xE9, 0xEB, 0xEC: break
    // U+3000 to U+30FF, without marks and pictographs.
    case 0xE3 where second == 0x80:
      if 0xAA...0xB0 ~= third || third == 0xBD { return 0 }
    case 0xE3 where second == 0x82: if third == 0x99 || third == 0x9A { return 0 }
    case 0xE3 where second == 0x81 || second == 0x83: break
    default: return 0
    }
    return second & 0xC0 == 0x80 && third & 0xC0 == 0x80 ? 3 : 0
  }
}
