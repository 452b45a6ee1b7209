import Foundation
import ResourcePrimitives

extension StructuredField {
  /// Returns the text of a list (RFC 9651 section 4.1); `nil` if a value can't be written. That of
  /// an empty list, as of an empty dictionary, is empty: no field is to be sent for it.
  package static func text(_ members: [Member]) -> String? {
    joined(members.map(text), by: ", ")
  }

  /// Returns the text of a dictionary; `nil` if a value can't be written.
  package static func text(_ members: Dictionary) -> String? {
    joined(
      members.all.map { entry in
        guard isKey(entry.key) else { return nil }
        if case .item(let item) = entry.value, item.value == .boolean(true) {
          return text(item.parameters).map { entry.key + $0 }
        }
        return text(entry.value).map { "\(entry.key)=\($0)" }
      }, by: ", ")
  }

  /// Returns the text of an item; `nil` if a value can't be written.
  package static func text(_ item: Item) -> String? {
    guard let value = text(item.value), let parameters = text(item.parameters) else { return nil }
    return value + parameters
  }

  private static func text(_ member: Member) -> String? {
    switch member {
    case .item(let item): return text(item)
    case .list(let items, let parameters):
      guard let items = joined(items.map(text), by: " "), let parameters = text(parameters) else {
        return nil
      }
      return "(\(items))\(parameters)"
    }
  }

  private static func text(_ parameters: Entries<BareItem>) -> String? {
    joined(
      parameters.all.map { entry in
        guard isKey(entry.key) else { return nil }
        if entry.value == .boolean(true) { return ";\(entry.key)" }
        return text(entry.value).map { ";\(entry.key)=\($0)" }
      }, by: "")
  }

  private static func joined(_ parts: [String?], by separator: String) -> String? {
    parts.contains(nil) ? nil : parts.compactMap(\.self).joined(separator: separator)
  }
}

extension StructuredField {
  private static func text(_ value: BareItem) -> String? {
    switch value {
    case .integer(let value): text(value)
    case .decimal(let thousandths): text(thousandths: thousandths)
    case .string(let value): text(string: value)
    case .token(let value):
      (try? StructuredFieldParser.item(value))?.value == .token(value) ? value : nil
    case .bytes(let value): ":\(value.base64EncodedString()):"
    case .boolean(let value): value ? "?1" : "?0"
    case .date(let value): text(value).map { "@\($0)" }
    case .displayString(let value): text(displayString: value)
    }
  }

  private static func text(_ integer: Int) -> String? {
    integer.magnitude < 1_000_000_000_000_000 ? String(integer) : nil
  }

  /// Without zeros at its end, but for one behind the point.
  private static func text(thousandths: Int) -> String? {
    let (whole, fraction) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    guard whole < 1_000_000_000_000 else { return nil }
    var digits = String(fraction + 1000).dropFirst()
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    return "\(thousandths < 0 ? "-" : "")\(whole).\(digits)"
  }

  private static func text(string: String) -> String? {
    guard string.hasOnlyBytes(where: { 0x20...0x7E ~= $0 }) else { return nil }
    return "\"" + string.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  private static func text(displayString: String) -> String {
    let digits = Array("0123456789abcdef")
    return displayString.utf8.reduce(into: "%\"") { text, byte in
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "\""), ..<0x20, 0x7F...:
        text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      default: text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    } + "\""
  }

  private static func isKey(_ key: String) -> Bool {
    (try? StructuredFieldParser.dictionary(key))?.all.map(\.key) == [key]
  }
}
