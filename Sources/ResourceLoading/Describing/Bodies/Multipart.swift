/// A body of named parts (RFC 7578): the fields of a form, and files.
///
/// ```swift
/// let upload: Multipart = [
///   .field("title", "Sunrise"), .file("photo", photo, as: "image/jpeg"),
///   .json("meta", ["rating": 5]),
/// ]
/// ```
///
/// Files are neither opened nor read before the request is made ready to be sent. The length of the whole is
/// known then, and exact.
public struct Multipart: Sendable, Hashable {
  /// The parts, in the order in which they are sent.
  public var parts: [Part]

  /// What stands between the parts. It is chosen once, so that copies of a request send the same bytes.
  public let boundary: String

  /// Puts parts together, with a boundary of 128 random bits between them.
  ///
  /// - Parameter parts: The parts, in the order in which they are sent.
  public init(_ parts: [Part]) {
    var generator = SystemRandomNumberGenerator()
    self.init(parts, using: &generator)
  }

  /// Puts parts together, with a random boundary between them.
  ///
  /// - Parameters:
  ///   - parts: The parts, in the order in which they are sent.
  ///   - generator: Where the randomness comes from.
  public init(_ parts: [Part], using generator: inout some RandomNumberGenerator) {
    let words = (0..<2).map { _ in
      String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
    }
    self.init(parts, boundary: "boundary-" + words.joined(separator: "-"))
  }

  /// Puts parts together, with a given boundary between them.
  ///
  /// - Parameters:
  ///   - parts: The parts, in the order in which they are sent.
  ///   - boundary: 1 to 70 of the characters that RFC 2046 section 5.1.1 allows. Others, and a boundary that
  ///     turns up in a part, make loading the request fail.
  public init(_ parts: [Part], boundary: String) {
    self.parts = parts
    self.boundary = boundary
  }

  /// `multipart/form-data` with the boundary.
  public var mediaType: MediaType {
    let parameter = boundary.isToken ? boundary : "\"\(boundary)\""
    return MediaType(rawValue: "multipart/form-data; boundary=\(parameter)")
  }
}

extension Multipart: ExpressibleByArrayLiteral {
  /// Parts in the order of the literal, with a random boundary between them.
  public init(arrayLiteral elements: Part...) { self.init(elements) }
}
