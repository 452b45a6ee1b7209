import Foundation
import ResourcePrimitives

/// Reads structured fields, strictly (RFC 9651 section 4.2): a field is read whole or not at all.
package struct StructuredFieldParser {
  private var rest: Substring.UTF8View

  /// The value isn't a structured field of the wanted type.
  package struct Malformed: Error {}

  private init(_ value: String) {
    rest = value[...].utf8
    skipSpaces()
  }
}

extension StructuredFieldParser {
  /// Reads a list. One without members is an empty value.
  package static func list(_ value: String) throws(Malformed) -> [StructuredField.Member] {
    var parser = StructuredFieldParser(value)
    var members: [StructuredField.Member] = []
    while !parser.rest.isEmpty {
      members.append(try parser.member())
      try parser.finishMember()
    }
    return members
  }

  /// Reads a dictionary. One without members is an empty value.
  package static func dictionary(_ value: String) throws(Malformed) -> StructuredField.Dictionary {
    var parser = StructuredFieldParser(value)
    var members = StructuredField.Dictionary()
    while !parser.rest.isEmpty {
      let key = try parser.key()
      members[key] =
        parser.skip("=")
        ? try parser.member()
        : .item(StructuredField.Item(.boolean(true), try parser.parameters()))
      try parser.finishMember()
    }
    return members
  }

  /// Reads an item.
  package static func item(_ value: String) throws(Malformed) -> StructuredField.Item {
    var parser = StructuredFieldParser(value)
    let item = try parser.item()
    parser.skipSpaces()
    guard parser.rest.isEmpty else { throw Malformed() }
    return item
  }
}

// MARK: - Structure

extension StructuredFieldParser {
  /// Reads what stands behind a member: the end of the field, or a comma and another member.
  private mutating func finishMember() throws(Malformed) {
    skipSpaces(andTabs: true)
    guard !rest.isEmpty else { return }
    guard skip(",") else { throw Malformed() }
    skipSpaces(andTabs: true)
    guard !rest.isEmpty else { throw Malformed() }
  }

  private mutating func member() throws(Malformed) -> StructuredField.Member {
    guard skip("(") else { return .item(try item()) }
    var items: [StructuredField.Item] = []
    while true {
      skipSpaces()
      if skip(")") { return .list(items, try parameters()) }
      items.append(try item())
      guard rest.first == UInt8(ascii: " ") || rest.first == UInt8(ascii: ")") else {
        throw Malformed()
      }
    }
  }

  private mutating func item() throws(Malformed) -> StructuredField.Item {
    StructuredField.Item(try bareItem(), try parameters())
  }

  private mutating func parameters() throws(Malformed)
    -> StructuredField.Entries<StructuredField.BareItem>
  {
    var parameters = StructuredField.Entries<StructuredField.BareItem>()
    while skip(";") {
      skipSpaces()
      let key = try key()
      parameters[key] = skip("=") ? try bareItem() : .boolean(true)
    }
    return parameters
  }

  private mutating func key() throws(Malformed) -> String {
    guard let first = rest.first, first.isLowercaseLetter || first == UInt8(ascii: "*") else {
      throw Malformed()
    }
    return text { $0.isLowercaseLetter || $0.isASCIIDigit || "_-.*".utf8.contains($0) }
  }
}

// MARK: - Bytes

extension StructuredFieldParser {
  /// Steps over a character if it is next; returns whether it was.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skipSpaces(andTabs: Bool = false) {
    rest = rest.drop { $0 == UInt8(ascii: " ") || andTabs && $0 == UInt8(ascii: "\t") }
  }

  /// The next byte, which isn't taken.
  var next: UInt8? { rest.first }

  /// Takes the next byte.
  mutating func byte() throws(Malformed) -> UInt8 {
    guard let byte = rest.popFirst() else { throw Malformed() }
    return byte
  }

  /// Takes all bytes up to the first one that doesn't belong to a text.
  mutating func text(while belongs: (UInt8) -> Bool) -> String {
    let text = rest.prefix(while: belongs)
    rest = rest[text.endIndex...]
    return String(Substring(text))
  }
}

extension UInt8 {
  fileprivate var isLowercaseLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
}
