public import Foundation
public import ResourceLoading
internal import ResourcePrimitives

extension Resource where R: Decodable {
  /// A request whose response is XML that is decoded into the value.
  ///
  /// The request asks for XML unless it has an `Accept` of its own. The charset of the response's
  /// `Content-Type` is used as RFC 7303 says. A response without a body (204, 205, 304, `HEAD`) is
  /// `nil` for an optional value. A document that can't be decoded is a `LoadError` of kind
  /// `parsing` with coding path, line and column.
  ///
  /// - Parameters:
  ///   - request: The request to send.
  ///   - type: The type of the value.
  ///   - path: The names from the root to the value, with dots between: `rss.channel`, or
  ///     `rss.channel.item` for an array of the elements that repeat. Without one it is the root.
  ///   - decoder: The decoder.
  public static func xml(
    _ request: Request, as type: R.Type = R.self, at path: String? = nil,
    decoder: XMLDecoder = XMLDecoder()
  ) -> Self {
    var request = request
    request.headers.imply(.accept, MediaType.acceptXML)
    return Resource(request, parsing: .proportional) { response in
      try LowPriorityThread.run(reading: response.body.count) {
        try response.decodeXML(R.self, at: path, by: decoder)
      }
    }
  }

  /// A `GET` of XML that is decoded into the value.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - type: The type of the value.
  ///   - path: The names from the root to the value, with dots between. Without one it is the root.
  ///   - decoder: The decoder.
  public static func xml(
    _ url: URL, as type: R.Type = R.self, at path: String? = nil,
    decoder: XMLDecoder = XMLDecoder()
  ) -> Self {
    .xml(Request(url: url), at: path, decoder: decoder)
  }

  /// A request whose response is JSON or XML: the media type decides, or the first character of the
  /// body if the media type is neither.
  ///
  /// - Parameters:
  ///   - request: The request to send. It asks for either unless it has an `Accept` of its own.
  ///   - json: The decoder for JSON; `nil` for the loader's. It is used on several threads at once:
  ///     don't change it afterwards.
  ///   - xml: The decoder for XML.
  public static func jsonOrXML(
    _ request: Request, json: JSONDecoder? = nil, xml: XMLDecoder = XMLDecoder()
  ) -> Self {
    var request = request
    let accept = "\(MediaType.json.rawValue), \(MediaType.acceptXML)"
    request.headers.imply(.accept, accept)
    let parsers = (
      json: Resource.json(request, decoder: json).parser,
      xml: Resource.xml(request, decoder: xml).parser
    )
    return Resource(request, parsing: .proportional) { response in
      try response.isXML ? parsers.xml(response) : parsers.json(response)
    }
  }
}

extension Resource where R == XMLTree {
  /// A request whose response is XML that is parsed into a tree.
  ///
  /// - Parameters:
  ///   - request: The request to send. It asks for XML unless it has an `Accept` of its own.
  ///   - options: Limits, and whether names have namespaces.
  public static func xml(_ request: Request, options: XMLOptions = XMLOptions()) -> Self {
    var request = request
    request.headers.imply(.accept, MediaType.acceptXML)
    return Resource(request, parsing: .proportional) { response in
      try LowPriorityThread.run(reading: response.body.count) {
        try response.xmlTree(options: options)
      }
    }
  }
}

extension ErrorBody {
  /// Decodes XML, such as the fault of a SOAP service.
  ///
  /// - Parameters:
  ///   - type: The type of the error.
  ///   - path: The names from the root to the error, with dots between: `Envelope.Body.Fault`.
  ///     Without one it is the root.
  ///   - decoder: The decoder.
  public static func xml<Value: Decodable & Sendable>(
    _ type: Value.Type, at path: String? = nil, decoder: XMLDecoder = XMLDecoder()
  ) -> ErrorBody {
    ErrorBody { response in try response.decodeXML(type, at: path, by: decoder) }
  }
}

extension Request.Body {
  /// Creates a body of XML, which is written at once; see ``XMLWriter``.
  ///
  /// ```swift
  /// let request = Request.post("/prices").body(
  ///   .xml("soap:Envelope", ["xmlns:soap": "http://schemas.xmlsoap.org/soap/envelope/"]) {
  ///     $0.element("soap:Body") {
  ///       $0.element("GetPrice", ["xmlns": "https://example.org/prices"]) {
  ///         $0.element("item", text: item)
  ///       }
  ///     }
  ///   })
  /// ```
  ///
  /// - Parameters:
  ///   - root: The name of the root.
  ///   - attributes: Its attributes, in order; those that are `nil` are left out.
  ///   - mediaType: The media type, such as `text/xml` for SOAP 1.1.
  ///   - content: Writes the content of the root. If it throws, or writes what XML can't contain,
  ///     loading the request fails with a `LoadError` of kind `invalidRequest`.
  public static func xml(
    _ root: String, _ attributes: KeyValuePairs<String, String?> = [:],
    as mediaType: MediaType = "application/xml",
    _ content: (inout XMLWriter) throws -> Void = { _ in }
  ) -> Self {
    do {
      return .data(try XMLWriter.document(root, attributes, content), as: mediaType)
    } catch {
      let failure = LoadError(
        .invalidRequest, "the XML to send can't be written: \(error)",
        advice: "Remove what XML can't contain", underlying: error)
      return .stream(as: mediaType) { () throws -> AsyncStream<Data> in throw failure }
    }
  }
}

extension MediaType {
  fileprivate static let acceptXML = "application/xml, text/xml;q=0.9, */*;q=0.5"
}

extension Response {
  /// Whether the body is XML by its media type (RFC 7303), or by its first character if the media
  /// type is neither XML nor JSON.
  var isXML: Bool {
    let essence = mediaType?.essence ?? ""
    if essence.hasSuffix("/xml") || essence.hasSuffix("+xml") { return true }
    if essence.hasSuffix("/json") || essence.hasSuffix("+json") { return false }
    return body.drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF || $0.isXMLSpace }.first == .lessThan
      || body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE])
  }

  func decodeXML<T: Decodable & Sendable>(
    _ type: T.Type, at path: String?, by decoder: XMLDecoder
  ) throws -> T {
    if isBodiless || body.isEmpty, let none = T.self as? any ExpressibleByNilLiteral.Type,
      let value = none.init(nilLiteral: ()) as? T
    {
      return value
    }
    do {
      let tree = try xmlTree(options: decoder.options)
      return try LowPriorityThread.run(reading: 0, isDeep: tree.isDeep) {
        try decoder.decode(type, from: tree, at: path)
      }
    } catch let error as DecodingError {
      throw LoadError(xml: error)
    } catch let error as LoadError {
      throw error.wanting(type)
    }
  }

  func xmlTree(options: XMLOptions) throws(LoadError) -> XMLTree {
    guard !body.isEmpty, !isBodiless else {
      throw LoadError(.parsing, "the body is empty, so there is no XML in it")
    }
    do {
      return try XMLTree(parsing: body, encoding: mediaType?.parameter("charset"), options: options)
    } catch {
      throw LoadError(xml: error, isHTML: mediaType?.essence == "text/html")
    }
  }
}
