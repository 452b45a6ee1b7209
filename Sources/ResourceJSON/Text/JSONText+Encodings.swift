internal import Foundation

/// The encoding of a document, which its first bytes show.
enum JSONEncoding {
  case utf8
  /// UTF-16 or UTF-32, and the length of the byte order mark.
  case other(String.Encoding, mark: Int)

  /// Detects the encoding by the byte order mark, or else by the zeros in the first two characters,
  /// which are ASCII.
  init(of data: Data) {
    let bytes = Array(data.prefix(4))
    func starts(_ mark: UInt8...) -> Bool { bytes.starts(with: mark) }
    if starts(0xFF, 0xFE, 0, 0) {
      self = .other(.utf32LittleEndian, mark: 4)
    } else if starts(0, 0, 0xFE, 0xFF) {
      self = .other(.utf32BigEndian, mark: 4)
    } else if starts(0xFF, 0xFE) {
      self = .other(.utf16LittleEndian, mark: 2)
    } else if starts(0xFE, 0xFF) {
      self = .other(.utf16BigEndian, mark: 2)
    } else {
      self = Self.unmarked(bytes.map { $0 == 0 })
    }
  }

  private static func unmarked(_ zeros: [Bool]) -> JSONEncoding {
    switch zeros {
    case [true, true, true, false]: .other(.utf32BigEndian, mark: 0)
    case [false, true, true, true]: .other(.utf32LittleEndian, mark: 0)
    case [true, false, true, false], [true, false]: .other(.utf16BigEndian, mark: 0)
    case [false, true, false, true], [false, true]: .other(.utf16LittleEndian, mark: 0)
    default: .utf8
    }
  }

  /// Returns the document in UTF-8; `nil` if it isn't valid in its encoding.
  func utf8(of data: Data) -> Data? {
    guard case .other(let encoding, let mark) = self else { return data }
    guard let text = String(data: data.dropFirst(mark), encoding: encoding) else { return nil }
    return Data(text.utf8)
  }

  /// Returns the offset in the data of an offset in its text in UTF-8.
  func offset(_ offset: Int, in text: JSONText) -> Int {
    guard case .other(let encoding, let mark) = self else { return offset }
    let before = unsafe text.withBytes(at: 0, offset) { unsafe String(decoding: $0, as: UTF8.self) }
    let isWide = encoding == .utf32LittleEndian || encoding == .utf32BigEndian
    return mark + (isWide ? before.unicodeScalars.count * 4 : before.utf16.count * 2)
  }
}

extension JSONText {
  /// Returns the position of an offset in UTF-8.
  func position(of offset: Int, in encoding: JSONEncoding) -> JSONPosition {
    let offset = min(offset, count)
    let mark = self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF ? 3 : 0
    return unsafe withBytes(at: 0, offset) { before in
      let lineStart = unsafe before.lastIndex(of: 0x0A).map { $0 + 1 } ?? min(mark, offset)
      return unsafe JSONPosition(
        line: before.count { $0 == 0x0A } + 1,
        column: unsafe String(decoding: before[lineStart...], as: UTF8.self).count + 1,
        offset: encoding.offset(offset, in: self))
    }
  }
}
