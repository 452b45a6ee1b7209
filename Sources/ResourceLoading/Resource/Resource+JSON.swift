public import Foundation
import ResourcePrimitives

extension Resource where R: Decodable {
  /// A `GET` of JSON that is decoded into the value.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - decoder: The decoder; `nil` for the loader's, which is a plain one unless a ``Client`` has
  ///     its own. It is used on several threads at once: don't change it afterwards.
  public init(json url: URL, decoder: JSONDecoder? = nil) {
    self.init(json: Request(url: url), decoder: decoder)
  }

  /// A request for JSON that is decoded into the value.
  ///
  /// The request asks for `application/json` unless it, its client or its session has an `Accept`.
  /// An answer without a body (204, 205, 304, `HEAD`) is `nil` for an optional value and an error
  /// for any other.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - path: The path to the value in the document, names and 0-based positions as errors show
  ///     them: `data.user`, `items[0]` or `items.0`, with a backslash before a dot in a name; or a
  ///     JSON Pointer (RFC 6901): `/data/user`. By default the value is the whole document.
  ///   - decoder: The decoder; `nil` for the loader's, which is a plain one unless a ``Client`` has
  ///     its own. It is used on several threads at once: don't change it afterwards.
  public init(json request: Request, at path: String = "", decoder: JSONDecoder? = nil) {
    var request = request
    request.headers.imply(.accept, MediaType.json.rawValue)
    let keys = [PathKey](path: path)
    self.init(request, parsing: .proportional) { response in
      guard !response.body.isEmpty, !response.isBodiless else { return try R.none(in: response) }
      return try (decoder ?? response.decoder).read(R.self, from: response.body, at: keys)
    }
  }
}

extension Resource where R: Decodable {
  /// A request for JSON that is decoded into the value; see ``init(json:at:decoder:)``.
  ///
  /// ```swift
  /// let user = try await client.load(.json(.get("/users/octocat"), as: User.self))
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type of the value, if it can't be inferred.
  ///   - path: The path to the value in the document, as in ``init(json:at:decoder:)``.
  ///   - decoder: The decoder; `nil` for the loader's. It is used on several threads at once: don't
  ///     change it afterwards.
  public static func json(
    _ request: Request, as type: R.Type = R.self, at path: String = "", decoder: JSONDecoder? = nil
  ) -> Self {
    Resource(json: request, at: path, decoder: decoder)
  }

  /// A `GET` of JSON that is decoded into the value.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - type: The type of the value, if it can't be inferred.
  ///   - path: The path to the value in the document, as in ``init(json:at:decoder:)``.
  ///   - decoder: The decoder; `nil` for the loader's. It is used on several threads at once: don't
  ///     change it afterwards.
  public static func json(
    _ url: URL, as type: R.Type = R.self, at path: String = "", decoder: JSONDecoder? = nil
  ) -> Self {
    .json(Request(url: url), at: path, decoder: decoder)
  }
}

extension Decodable {
  /// The value that stands for no body.
  fileprivate static func none(in response: Response) throws -> Self {
    if let type = Self.self as? any ExpressibleByNilLiteral.Type,
      let none = type.init(nilLiteral: ()) as? Self
    {
      return none
    }
    let what = response.isBodiless ? "\(response.status) comes without a body" : "the body is empty"
    var error = LoadError(
      .parsing, "\(what), so there is no \(Self.self) in it",
      advice: "Load an optional, or .void, where a body may be missing")
    error.parsing = LoadError.ParsingFailure(path: "", expectedType: "\(Self.self)")
    throw error
  }
}
