import Foundation

extension TextEncoding {
  /// Returns the text of bytes in an encoding that the platform converts; `nil` if they are
  /// invalid. Some converters return private-use characters for bytes without a meaning; those are
  /// invalid, too.
  package func platformText(of bytes: ArraySlice<UInt8>) -> String? {
    switch self {
    case .eucJP: Self.textOfEUC(bytes)
    case .platform(Self.big5): Self.converted(bytes, Self.big5).flatMap(Self.assigned)
    case .platform(let number): Self.converted(bytes, number)
    default: nil
    }
  }

  private static let big5: UInt32 = 0xA06
  private static let shiftJIS: UInt32 = 0x420
  private static let eucKR: UInt32 = 0x422
  private static let iso2022JP2: UInt32 = 0x821

  private static func converted(_ bytes: some Sequence<UInt8>, _ number: UInt32) -> String? {
    let encoding = String.Encoding(rawValue: 0x8000_0000 | UInt(number))
    guard let text = String(data: Data(bytes), encoding: encoding) else { return nil }
    let isMultibyte = number == shiftJIS || number == eucKR
    let isPrivate = isMultibyte && text.unicodeScalars.contains { 0xF8F0...0xF8FF ~= $0.value }
    return isPrivate ? nil : text
  }
}

extension TextEncoding {
  /// Replaces the private-use characters that the platform's converter returns for characters which
  /// Unicode has had since version 4.1; `nil` if another private-use character is left.
  private static func assigned(_ text: String) -> String? {
    guard text.unicodeScalars.contains(where: isPrivateUse) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if !isPrivateUse(scalar) {
        result.append(scalar)
      } else if let character = laterCharacters[scalar.value] {
        result.append(contentsOf: character.unicodeScalars)
      } else {
        return nil
      }
    }
    return String(result)
  }

  private static func isPrivateUse(_ scalar: Unicode.Scalar) -> Bool {
    0xE000...0xF8FF ~= scalar.value
  }

  /// Characters by their places in the private use area, from the index of Big5 in the Encoding
  /// standard.
  private static let laterCharacters: [UInt32: String] = [
    0xF303: "\u{31C0}", 0xF304: "\u{31C1}", 0xF305: "\u{31C2}", 0xF306: "\u{31C3}",
    0xF307: "\u{31C4}", 0xF309: "\u{31C5}", 0xF30C: "\u{31C6}", 0xF30D: "\u{31C7}",
    0xF310: "\u{31C8}", 0xF312: "\u{31C9}", 0xF313: "\u{31CA}", 0xF314: "\u{31CB}",
    0xF315: "\u{31CC}", 0xF317: "\u{31CD}", 0xF318: "\u{31CE}", 0xF325: "\u{CA}\u{304}",
    0xF327: "\u{CA}\u{30C}", 0xF344: "\u{EA}\u{304}", 0xF346: "\u{EA}\u{30C}",
    0xF34A: "\u{23DA}", 0xF34B: "\u{23DB}", 0xF57A: "\u{9FA6}", 0xF5A4: "\u{9FA7}",
    0xF5AB: "\u{9FA8}", 0xF5CC: "\u{9FA9}", 0xF5CE: "\u{9FAA}", 0xF5D0: "\u{9FAB}",
    0xF5D5: "\u{9FAC}", 0xF5EC: "\u{9FAD}", 0xF5ED: "\u{9FAE}", 0xF5EF: "\u{9FAF}",
    0xF602: "\u{9FB2}", 0xF61C: "\u{9FB3}", 0xF7E5: "\u{31CF}", 0xF7EB: "\u{9FB0}",
    0xF7ED: "\u{9FB1}",
  ]
}

extension TextEncoding {
  /// Returns the text of EUC-JP, which the platform doesn't convert. The characters of JIS X 0208
  /// are recoded as Shift_JIS, and those of JIS X 0212, which Shift_JIS lacks, as ISO-2022-JP-2.
  private static func textOfEUC(_ bytes: ArraySlice<UInt8>) -> String? {
    var text = ""
    var rest = bytes
    while !rest.isEmpty {
      guard let main = recodedAsShiftJIS(&rest), let head = converted(main, shiftJIS) else {
        return nil
      }
      text += head
      guard let supplement = recodedAsISO2022(&rest) else { return nil }
      guard !supplement.isEmpty else { continue }
      guard let tail = converted(supplement, iso2022JP2) else { return nil }
      text += tail
    }
    return text
  }

  /// Takes the bytes up to the next character of JIS X 0212, and returns them as Shift_JIS, which
  /// arranges the rows and cells of JIS X 0208 in another way.
  private static func recodedAsShiftJIS(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    while let first = bytes.first, first != 0x8F {
      bytes.removeFirst()
      guard first >= 0x80 else {
        result.append(first)
        continue
      }
      guard let second = bytes.popFirst(), 0xA1...0xFE ~= second else { return nil }
      if first == 0x8E, second < 0xE0 {
        result.append(second)
      } else if 0xA1...0xFE ~= first {
        result.append(contentsOf: pair(row: first - 0xA1, cell: second - 0xA1))
      } else {
        return nil
      }
    }
    return result
  }

  private static func pair(row: UInt8, cell: UInt8) -> [UInt8] {
    let lead = row / 2 + (row < 62 ? 0x81 : 0xC1)
    let trail = row % 2 == 0 ? cell + (cell < 63 ? 0x40 : 0x41) : cell + 0x9F
    return [lead, trail]
  }

  /// Takes the characters of JIS X 0212 at the beginning, and returns them between the escape
  /// sequences of ISO-2022-JP-2 (RFC 1554).
  private static func recodedAsISO2022(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.first == 0x8F else { return [] }
    var result = Array("\u{1B}$(D".utf8)
    while bytes.first == 0x8F {
      let pair = bytes.dropFirst().prefix(2)
      guard pair.count == 2, pair.allSatisfy({ 0xA1...0xFE ~= $0 }) else { return nil }
      result += pair.map { $0 & 0x7F }
      bytes.removeFirst(3)
    }
    return result + Array("\u{1B}(B".utf8)
  }
}
