package import Foundation

/// Values of structured header fields (RFC 9651).
package enum StructuredField {
  /// A value without parameters.
  package enum BareItem: Hashable, Sendable {
    /// An integer of at most 15 digits.
    case integer(Int)
    /// A decimal number with three fractional digits, in thousandths.
    case decimal(thousandths: Int)
    /// A text of printable ASCII characters.
    case string(String)
    /// A word without quotes, such as `gzip`.
    case token(String)
    case bytes(Data)
    case boolean(Bool)
    /// Seconds since 1970.
    case date(Int)
    /// A text of any characters.
    case displayString(String)
  }

  /// A value with its parameters.
  package struct Item: Hashable, Sendable {
    package var value: BareItem
    package var parameters: Entries<BareItem>

    package init(_ value: BareItem, _ parameters: Entries<BareItem> = Entries()) {
      self.value = value
      self.parameters = parameters
    }
  }

  /// A member of a list or a dictionary.
  package enum Member: Hashable, Sendable {
    case item(Item)
    case list([Item], Entries<BareItem>)

    /// The item; `nil` for a list of items.
    package var item: Item? { if case .item(let item) = self { item } else { nil } }

    /// The parameters.
    package var parameters: Entries<BareItem> {
      switch self {
      case .item(let item): item.parameters
      case .list(_, let parameters): parameters
      }
    }
  }

  package typealias Dictionary = Entries<Member>

  /// Keys with values, in order; a key that is repeated has its last value, in its first place.
  package struct Entries<Value: Hashable & Sendable>: Hashable, Sendable {
    private var positions: [String: Int] = [:]
    package private(set) var all: [Entry] = []

    package struct Entry: Hashable, Sendable {
      package var key: String
      package var value: Value
    }

    package init() {}

    package subscript(key: String) -> Value? {
      get { positions[key].map { all[$0].value } }
      set {
        guard let newValue else { return }
        if let position = positions[key] {
          all[position].value = newValue
        } else {
          positions[key] = all.count
          all.append(Entry(key: key, value: newValue))
        }
      }
    }
  }
}

extension StructuredField.BareItem {
  /// The integer; `nil` for another value.
  package var integer: Int? { if case .integer(let value) = self { value } else { nil } }

  /// The bytes; `nil` for another value.
  package var bytes: Data? { if case .bytes(let value) = self { value } else { nil } }

  /// Whether it is true; `nil` for another value.
  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
}

extension Headers {
  /// Reads a field whose value is a dictionary; `nil` if there is none or it is malformed.
  package func dictionary(_ name: Name) -> StructuredField.Dictionary? {
    self[name].flatMap { try? StructuredFieldParser.dictionary($0) }
  }

  /// Reads a field whose value is a list; `nil` if there is none or it is malformed.
  package func list(_ name: Name) -> [StructuredField.Member]? {
    self[name].flatMap { try? StructuredFieldParser.list($0) }
  }

  /// Reads a field whose value is an item; `nil` if there is none or it is malformed.
  package func item(_ name: Name) -> StructuredField.Item? {
    self[name].flatMap { try? StructuredFieldParser.item($0) }
  }
}
