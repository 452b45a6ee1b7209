/// Coding keys that name the kind of node they mean. Other keys mean an element, or an attribute if
/// there is no such element.
///
/// ```swift
/// enum CodingKeys: String, XMLNodeCodingKey {
///   case id, name
///   var node: XMLNodeKind { self == .id ? .attribute : .element }
/// }
/// ```
///
/// Even without this protocol, a key that begins with `@` means an attribute, and the keys `""` and
/// `"#text"` mean the content of the element itself.
public protocol XMLNodeCodingKey: CodingKey {
  /// The kind of node that this key means.
  var node: XMLNodeKind { get }
}

/// The kinds of node that a key can mean.
public enum XMLNodeKind: Hashable, Sendable {
  /// An element, or an attribute if there is no such element.
  case any
  /// An element only.
  case element
  /// An attribute only.
  case attribute
  /// The content of the element itself, whatever the key's name.
  case content
}

/// The coding keys of an enum whose case is chosen by the name of the element.
///
/// ```swift
/// enum Block: Decodable {
///   case paragraph(String)
///   case image(Image)
///   enum CodingKeys: String, XMLChoiceCodingKey { case paragraph = "p", image = "img" }
/// }
/// ```
///
/// The synthesised `init(from:)` works for enums whose cases have one unlabelled value. Decode them
/// from the key `""` of the enclosing element, alone or as an array; in an array, text between the
/// elements is an item with the key `""`.
public protocol XMLChoiceCodingKey: CodingKey {}
