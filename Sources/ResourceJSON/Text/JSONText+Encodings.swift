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

  /// The length of the byte order mark of UTF-16 or UTF-32.
  var mark: Int { if case .other(_, let mark) = self { mark } else { 0 } }

  /// Returns the number of bytes in the data of a text in UTF-8.
  func size(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard case .other(let encoding, _) = self else { return bytes.count }
    let text = unsafe String(decoding: bytes, as: UTF8.self)
    let isWide = encoding == .utf32LittleEndian || encoding == .utf32BigEndian
    return isWide ? text.unicodeScalars.count * 4 : text.utf16.count * 2
  }
}
