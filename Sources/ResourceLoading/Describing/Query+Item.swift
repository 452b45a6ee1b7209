import Foundation

extension Query {
  /// A name and its value.
  public struct Item: Sendable, Hashable {
    /// The plain name.
    public var name: String { didSet { given = nil } }
    /// The plain value; `nil` sends the bare name without `=`.
    public var value: String? { didSet { given = nil } }

    /// The text to send if it isn't simply the encoded name and value.
    private(set) var given: String?

    /// Why there is no item here: what it was to hold couldn't be encoded.
    private(set) var flaw: String?

    /// Makes an item.
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

extension Query.Item {
  /// An item of a query that is encoded already.
  init(encoded text: Substring) {
    let pair = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let plain = pair.map { $0.removingPercentEncoding ?? String($0) }
    self.init(plain.first ?? "", plain.count > 1 ? plain[1] : nil)
    given = String(text)
  }

  init(flaw: String) {
    self.init("", nil)
    self.flaw = flaw
  }

  /// An item of parameters. The commas between several values are sent as such, those within are escaped.
  init(_ entry: Parameters.Entry) {
    self.init(entry.name, entry.values.joined(separator: ","))
    guard entry.values.count > 1 else { return }
    let values = entry.values.map(PercentEncoding.unreserved.encode).joined(separator: ",")
    given = "\(PercentEncoding.unreserved.encode(name))=\(values)"
  }

  /// The percent-encoded text.
  var encoded: String {
    if let given { return given }
    let name = PercentEncoding.unreserved.encode(name)
    return value.map { "\(name)=\(PercentEncoding.unreserved.encode($0))" } ?? name
  }
}
