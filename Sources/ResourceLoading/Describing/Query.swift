import Foundation

/// Query items in order. Names and values are plain text; everything outside RFC 3986's unreserved set is
/// percent-encoded when they are sent. What is encoded already is said to be so: ``init(encoded:)``.
///
/// A literal takes values of any `Encodable` type, as ``Parameters`` do, and is written in their plain style.
///
/// ```swift
/// let request = Request.get("dict").query(["q": "jeopardize"])
/// ```
public struct Query: Sendable, Hashable {
  /// The items, in the order in which they are sent.
  public var items: [Item]

  /// Makes a query of items.
  ///
  /// - Parameter items: The items, in the order in which they are sent.
  public init(_ items: [Item] = []) { self.items = items }

  /// Writes parameters in a style.
  ///
  /// Never fails: if a value can't be encoded, loading the request fails with a ``LoadError`` of kind
  /// ``LoadError/Kind/invalidRequest``.
  ///
  /// - Parameters:
  ///   - parameters: The named values.
  ///   - style: How nested values, arrays, dates and the like are written.
  public init(_ parameters: Parameters, style: Parameters.Style) {
    do {
      items = try parameters.entries(in: style).map(Item.init)
    } catch {
      items = [Item(flaw: LoadError(sending: error).reason)]
    }
  }

  /// Writes the values of any `Encodable` type: those of a struct in the order of its properties, those of a
  /// dictionary sorted by name.
  ///
  /// - Parameters:
  ///   - value: The value; it is encoded at once. If that fails, loading the request does.
  ///   - style: How nested values, arrays, dates and the like are written.
  public init(encoding value: some Encodable, style: Parameters.Style = .init()) {
    self.init(Parameters(encoding: value), style: style)
  }

  /// Takes a query that is percent-encoded already, and sends it as it is.
  ///
  /// - Parameter text: The query without its `?`. What RFC 3986 section 3.4 doesn't allow in it, such as a
  ///   space or a `%` without two digits, makes loading the request fail.
  public init(encoded text: String) {
    items =
      text.isEmpty
      ? [] : text.split(separator: "&", omittingEmptySubsequences: false).map(Item.init(encoded:))
  }
}

extension Query: ExpressibleByDictionaryLiteral {
  /// Items in the order of the literal; a name may stand in it more than once, and `nil` is left out.
  public init(dictionaryLiteral elements: (String, (any Encodable)?)...) {
    self.init(Parameters(members: elements), style: .init())
  }
}

extension Query {
  /// The plain value of the first item with a name: `nil` if there is none, empty for a bare name. Setting it
  /// replaces all items with that name by one in the place of the first; setting `nil` removes them.
  public subscript(name: String) -> String? {
    get { items.first { $0.name == name }.map { $0.value ?? "" } }
    set {
      let place = items.firstIndex { $0.name == name } ?? items.endIndex
      items.removeAll { $0.name == name }
      if let newValue { items.insert(Item(name, newValue), at: place) }
    }
  }

  /// Adds the items of another query behind those that are there.
  public mutating func append(_ other: Query) { items += other.items }
}
