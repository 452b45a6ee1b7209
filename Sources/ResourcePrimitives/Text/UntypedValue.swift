/// A type whose values have any form that the document gives them, such as `JSONValue`.
package protocol UntypedValue: Decodable {}

/// A decoder of a format in which every scalar is text, such as XML.
package protocol TextualDecoder: Decoder {}
