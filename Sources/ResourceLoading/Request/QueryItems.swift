import Foundation
import ResourcePrimitives

/// Query items in order. Names and values are plain text; everything outside RFC 3986's unreserved
/// set is percent-encoded when they are sent. For a query that is encoded already use
/// ``init(encoded:)``.
///
/// A literal takes values of any `Encodable` type, like ``Parameters``, and is written in their
/// default style.
///
/// ```swift
/// let request = Request.get("dict").query(["q": "jeopardize"])
/// ```
public struct QueryItems: Sendable, Hashable {
  /// The items, in the order in which they are sent.
  public var items: [Item]

  /// Creates a query from items.
  ///
  /// - Parameter items: The items, in the order in which they are sent.
  public init(_ items: [Item] = []) { self.items = items }

  /// Creates a query from parameters in a style.
  ///
  /// Never fails: if a value can't be encoded, loading the request fails with a ``LoadError`` of
  /// kind ``LoadError/Kind/invalidRequest``.
  ///
  /// - Parameters:
  ///   - parameters: The named values.
  ///   - style: How nested values, arrays, dates and the like are written.
  public init(_ parameters: Parameters, style: Parameters.Style) {
    do {
      items = try parameters.items(in: style)
    } catch {
      items = [Item(flaw: LoadError(sending: error).reason)]
    }
  }

  /// Creates a query from text that is percent-encoded already and is sent as it is.
  ///
  /// - Parameter text: The query without its `?`. Characters that RFC 3986 section 3.4 doesn't
  ///   allow, such as a space or a `%` without two digits, make loading the request fail.
  public init(encoded text: String) {
    items =
      text.isEmpty ? [] : text.parts(between: "&", omittingEmpty: false).map(Item.init(encoded:))
  }
}

extension QueryItems: ExpressibleByDictionaryLiteral {
  /// Creates items in the order of the literal; a name may be repeated, and `nil` is left out.
  public init(dictionaryLiteral elements: (String, (any Encodable)?)...) {
    self.init(Parameters(members: elements), style: .init())
  }
}

extension QueryItems {
  /// The plain value of the first item with a name: `nil` if there is none, empty for a bare name.
  /// Setting it replaces all items of that name by one at the position of the first; setting `nil`
  /// removes them.
  public subscript(name: String) -> String? {
    get { items.first { $0.name.hasSameBytes(as: name) }.map { $0.value ?? "" } }
    set {
      let index = items.firstIndex { $0.name.hasSameBytes(as: name) } ?? items.endIndex
      items.removeAll { $0.name.hasSameBytes(as: name) }
      if let newValue { items.insert(Item(name, newValue), at: index) }
    }
  }

  /// Appends the items of another query.
  public mutating func append(_ other: QueryItems) { items += other.items }

  /// Returns the items whose names aren't among others, and those whose values couldn't be encoded.
  func items(besides names: [String]) -> [Item] {
    items.filter { item in
      item.flaw != nil || !names.contains { $0.hasSameBytes(as: item.name) }
    }
  }
}

extension QueryItems {
  /// A name and its value.
  public struct Item: Sendable, Hashable {
    /// The plain name.
    public var name: String { didSet { given = nil } }
    /// The plain value; `nil` sends the bare name without `=`.
    public var value: String? { didSet { given = nil } }

    /// The text to send if it isn't simply the encoded name and value.
    private(set) var given: String?

    /// The error of encoding the item's value, if it failed.
    private(set) var flaw: String?

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - name: The plain name.
    ///   - value: The plain value; `nil` sends the bare name.
    public init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value
    }
  }
}

extension QueryItems.Item {
  /// Returns whether two items are equal, byte by byte.
  public static func == (one: Self, other: Self) -> Bool {
    one.name.hasSameBytes(as: other.name) && one.value.hasSameBytes(as: other.value)
      && one.given.hasSameBytes(as: other.given) && one.flaw == other.flaw
  }

  /// Creates an item of a query that is encoded already.
  init(encoded text: Substring) {
    let pair = text.parts(between: "=", maxSplits: 1, omittingEmpty: false)
    let plain = pair.map { $0.percentDecoded ?? String($0) }
    self.init(plain.first ?? "", plain.count > 1 ? plain[1] : nil)
    given = String(text)
  }

  init(flaw: String) {
    self.init("", nil)
    self.flaw = flaw
  }

  /// Creates an item of several values. In a query, commas between values are sent as such, those
  /// within values are escaped.
  init(_ name: String, values: [String]) {
    self.init(name, values.joined(separator: ","))
    guard values.count > 1 else { return }
    let values = values.map(PercentEncoding.unreserved.encode).joined(separator: ",")
    given = "\(PercentEncoding.unreserved.encode(name))=\(values)"
  }

  /// The percent-encoded text.
  var encoded: String {
    if let given { return given }
    let name = PercentEncoding.unreserved.encode(name)
    return value.map { "\(name)=\(PercentEncoding.unreserved.encode($0))" } ?? name
  }
}

extension QueryItems {
  /// The percent-encoded text, without a leading `?`.
  public var encoded: String {
    items.map(\.encoded).joined(separator: "&")
  }

  /// Returns a URL with these items appended to its own query, which is kept as it is.
  func appended(to url: URL) -> URL {
    guard !items.isEmpty else { return url }
    let text = url.relativeString
    let end = text.firstIndex(of: "#") ?? text.endIndex
    let head = text[..<end]
    let joint = !head.includes("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
    return URL(string: head + joint + encoded + text[end...], relativeTo: url.baseURL) ?? url
  }

  package func check() throws {
    try checkValues()
    for item in items where !PercentEncoding.query.accepts(item.encoded) {
      throw LoadError(
        .invalidRequest, "the query item \(item.name.debugDescription) isn't percent-encoded",
        advice: "Give names and values as plain items, or encode them before")
    }
  }

  /// Returns the text of a form, `application/x-www-form-urlencoded`.
  func formText() throws -> String {
    try checkValues()
    let encode = PercentEncoding.form.encode
    return items.map { "\(encode($0.name))=\(encode($0.value ?? ""))" }.joined(separator: "&")
  }

  private func checkValues() throws {
    if let flaw = items.lazy.compactMap(\.flaw).first { throw LoadError(.invalidRequest, flaw) }
  }
}
