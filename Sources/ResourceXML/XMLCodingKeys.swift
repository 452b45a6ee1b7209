/// Keys that say which node they are for. Other keys are for an element, or an attribute when there is
/// no such element.
///
/// ```swift
/// enum CodingKeys: String, XMLNodeCodingKey {
///   case id, name
///   var node: XMLNodeKind { self == .id ? .attribute : .element }
/// }
/// ```
///
/// A key that begins with `@` is for an attribute without that, and the keys `""` and `"#text"` are for
/// the content of the element itself.
public protocol XMLNodeCodingKey: CodingKey {
  /// The node that this key is for.
  var node: XMLNodeKind { get }
}

/// What a key may be for.
public enum XMLNodeKind: Hashable, Sendable {
  /// An element, or an attribute when there is no such element.
  case any
  /// An element only.
  case element
  /// An attribute only.
  case attribute
  /// The content of the element itself, whatever the key's name.
  case content
}

/// The keys of a type that is one of several elements: the name of the element chooses the case.
///
/// ```swift
/// enum Block: Decodable {
///   case paragraph(String)
///   case image(Image)
///   enum CodingKeys: String, XMLChoiceCodingKey { case paragraph = "p", image = "img" }
/// }
/// ```
///
/// The compiler's own `init(from:)` of enums with one unlabelled value a case works. Decode them from
/// the key `""` of the element around them, alone or as an array; in an array, text between the elements
/// is an item with the key `""`.
public protocol XMLChoiceCodingKey: CodingKey {}
