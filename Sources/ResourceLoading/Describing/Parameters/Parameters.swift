import Foundation

/// Named values for a query or a form, nested as deep as needed, in a stable order.
///
/// A literal keeps its order, and takes values of any `Encodable` type, variables included. What is `nil` is
/// left out. How nested values, arrays, dates and the like are written is a matter of ``Style``.
///
/// ```swift
/// let page: Int? = nil
/// let parameters: Parameters = [
///   "q": "jeopardize", "page": page, "tags": ["a", "b"], "filter": ["state": "open"],
/// ]
/// ```
///
/// A nested literal of values of several types needs to be told that it holds parameters, too:
/// `["state": "open", "limit": 3] as Parameters`.
public struct Parameters: Sendable, Hashable {
  let node: Node

  /// A value with what is nested in it.
  indirect enum Node: Sendable, Hashable {
    case leaf(Leaf)
    case list([Node])
    case object([Member])
    /// Why there is no value here: it couldn't be encoded.
    case flaw(String)
  }

  /// A named value.
  struct Member: Sendable, Hashable {
    let name: String
    let node: Node
  }

  /// A value with nothing in it, before it is written in a style.
  enum Leaf: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    /// A number as Swift writes it.
    case decimal(String)
    case text(String)
    case date(Date)
    case data(Data)
  }
}

extension Parameters: ExpressibleByDictionaryLiteral {
  /// Values in the order of the literal; a name may stand in it more than once.
  public init(dictionaryLiteral elements: (String, (any Encodable)?)...) {
    self.init(members: elements)
  }

  init(members: [(String, (any Encodable)?)]) {
    node = .object(members.map { Member(name: $0.0, node: Node($0.1)) })
  }
}

extension Parameters: ExpressibleByArrayLiteral {
  /// A list, as a value within other parameters.
  public init(arrayLiteral elements: (any Encodable)?...) {
    node = .list(elements.map(Node.init))
  }
}

extension Parameters {
  /// Takes the values of any `Encodable` type that encodes itself with names: a struct, in the order in which
  /// it declares its properties, or a dictionary, sorted by name.
  ///
  /// Never fails: if a value can't be encoded, loading the request fails with a ``LoadError`` of kind
  /// ``LoadError/Kind/invalidRequest`` that names the coding path.
  ///
  /// - Parameter value: The value; it is encoded at once.
  public init(encoding value: some Encodable) {
    node = Node(value)
  }
}
