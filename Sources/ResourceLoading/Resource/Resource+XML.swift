#if XML
  public import Foundation
  import ResourcePrimitives
  public import ResourceXML

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

  extension MediaType {
    fileprivate static let acceptXML = "application/xml, text/xml;q=0.9, */*;q=0.5"
  }

  extension Response {
    /// Whether the body is XML by its media type (RFC 7303), or by its first character if the media
    /// type is neither XML nor JSON.
    fileprivate var isXML: Bool {
      let essence = mediaType?.essence ?? ""
      if essence.hasSuffix("/xml") || essence.hasSuffix("+xml") { return true }
      if essence.hasSuffix("/json") || essence.hasSuffix("+json") { return false }
      if body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE]) { return true }
      // Behind UTF-8's byte order mark and white space.
      let start = body.first { ![0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
      return start == UInt8(ascii: "<")
    }
  }
#endif
