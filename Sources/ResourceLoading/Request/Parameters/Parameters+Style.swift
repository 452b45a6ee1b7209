public import Foundation

extension Parameters {
  /// The style in which parameters are written. The default is
  /// `filter[state]=open&tag=a&tag=b&done=true&since=2026-01-31T12:00:00Z`.
  public struct Style: Sendable {
    /// How the name of a nested value is written: `filter[state]` by default.
    public var nesting: Nesting = .brackets
    /// How the elements of arrays are written: by the repeated name by default.
    public var arrays: Arrays = .repeated
    /// How truth values are written: `true` and `false` by default.
    public var booleans: Booleans = .words
    /// How dates are written: as ISO 8601 in GMT, whole seconds, by default.
    public var dates: Dates = .iso8601
    /// How bytes are written: as Base64 by default.
    public var data: Bytes = .base64
    /// How `nil` is written: it is left out by default.
    public var nils: Nils = .omitted

    /// Creates the default style.
    public init() {}
  }
}

extension Parameters.Style {
  /// How the name of a nested value is written.
  public enum Nesting: Sendable, Hashable {
    /// `filter[state]`
    case brackets
    /// `filter.state`
    case dots
  }

  /// How the elements of an array are written.
  public enum Arrays: Sendable, Hashable {
    /// `tag=a&tag=b`; elements with nested values get indices.
    case repeated
    /// `tag[]=a&tag[]=b`
    case brackets
    /// `tag[0]=a&tag[1]=b`
    case indices
    /// `tag=a,b`; elements with nested values get indices. In a query a comma within an element is
    /// escaped, which distinguishes it from the separators.
    case commas
  }

  /// How truth values are written.
  public enum Booleans: Sendable, Hashable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case digits
  }

  /// How dates are written.
  public enum Dates: Sendable {
    /// `2026-01-31T12:00:00Z`
    case iso8601
    /// Seconds since 1970, with a fraction only if there is one.
    case secondsSince1970
    /// Whole milliseconds since 1970.
    case millisecondsSince1970
    /// By a function.
    case custom(@Sendable (Date) -> String)
  }

  /// How bytes are written.
  public enum Bytes: Sendable {
    /// As Base64 (RFC 4648 section 4).
    case base64
    /// By a function.
    case custom(@Sendable (Data) -> String)
  }

  /// How `nil` is written.
  public enum Nils: Sendable, Hashable {
    /// It is left out.
    case omitted
    /// As a name with an empty value, if the type encodes it: synthesised `Codable` conformances
    /// leave it out.
    case empty
  }
}

extension Parameters {
  func items(in style: Style) throws -> [QueryItems.Item] {
    guard case .object(let members) = node else {
      if case .flaw(let reason) = node { throw LoadError(.invalidRequest, reason) }
      throw LoadError(
        .invalidRequest, "the parameters are one value without a name",
        advice: "Give a dictionary or a type with properties")
    }
    return try members.flatMap { try style.items($0.name, $0.node) }
  }
}

extension Parameters.Style {
  private typealias Item = QueryItems.Item

  /// Returns the items for a value and all values within it.
  fileprivate func items(
    _ name: String, _ node: Parameters.Node
  ) throws -> [QueryItems.Item] {
    switch node {
    case .scalar(let scalar): return text(scalar).map { [Item(name, $0)] } ?? []
    case .list(let nodes): return try items(name, elements: nodes)
    case .object(let members):
      return try members.flatMap { try items(nested(name, $0.name), $0.node) }
    case .flaw(let reason):
      throw LoadError(.invalidRequest, "the parameter \(name) can't be sent: \(reason)")
    }
  }

  /// Returns the items for a list.
  private func items(_ name: String, elements: [Parameters.Node]) throws -> [Item] {
    let texts = elements.map { node in
      if case .scalar(let scalar) = node {
        text(scalar).map { [$0] } ?? []
      } else {
        nil as [String]?
      }
    }
    let isFlat = texts.allSatisfy { $0 != nil }
    if arrays == .commas, isFlat {
      let values = texts.flatMap { $0 ?? [] }
      return values.isEmpty ? [] : [Item(name, values: values)]
    }
    return try elements.enumerated().flatMap { index, element in
      try items(self.name(of: index, in: name, isFlat: isFlat), element)
    }
  }

  private func name(of index: Int, in list: String, isFlat: Bool) -> String {
    switch arrays {
    case .repeated, .commas: isFlat ? list : "\(list)[\(index)]"
    case .brackets: "\(list)[]"
    case .indices: "\(list)[\(index)]"
    }
  }

  private func nested(_ outer: String, _ inner: String) -> String {
    switch nesting {
    case .brackets: "\(outer)[\(inner)]"
    case .dots: "\(outer).\(inner)"
    }
  }
}

extension Parameters.Style {
  /// Returns a value as text; `nil` if it is left out.
  private func text(_ scalar: Parameters.Scalar) -> String? {
    switch scalar {
    case .null: nils == .empty ? "" : nil
    case .bool(let value): booleans == .digits ? (value ? "1" : "0") : "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .decimal(let value): value
    case .text(let value): value
    case .date(let value): text(value)
    case .data(let value): text(value)
    }
  }

  private func text(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    return switch dates {
    case .iso8601: HTTPDate(date).internetDate
    case .secondsSince1970: Int64(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    case .millisecondsSince1970: Int64(exactly: (seconds * 1000).rounded()).map { "\($0)" } ?? ""
    case .custom(let write): write(date)
    }
  }

  private func text(_ data: Data) -> String {
    switch self.data {
    case .base64: data.base64EncodedString()
    case .custom(let write): write(data)
    }
  }

  /// Whether a date lies within the years 0 to 9999, so that each style has a text for it.
  static func writes(_ date: Date) -> Bool {
    let moment = HTTPDate(date)
    return abs(moment.date.timeIntervalSince(date)) <= 1
  }
}
