public import Foundation
public import ResourceLoading

extension Resource where R: Decodable {
  /// A `GET` of XML that is decoded into the value.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - path: The names from the root to the value, with dots between: `rss.channel`. Without one it is
  ///     the root.
  ///   - decoder: How to decode it.
  public init(xml url: URL, at path: String? = nil, decoder: XMLDecoder = XMLDecoder()) {
    self.init(xml: Request(url: url), at: path, decoder: decoder)
  }

  /// A request whose XML answer is decoded into the value.
  ///
  /// The request asks for XML unless it has an `Accept` of its own. The charset of the answer's
  /// `Content-Type` counts as RFC 7303 says. An answer without a body (204, 205, 304, `HEAD`) is `nil`
  /// for an optional value. Everything that is wrong with a document is a `LoadError` of kind `parsing`
  /// that names path, line and column.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - path: The names from the root to the value, with dots between: `rss.channel`, or
  ///     `rss.channel.item` for an array of the elements that repeat. Without one it is the root.
  ///   - decoder: How to decode it.
  public init(xml request: Request, at path: String? = nil, decoder: XMLDecoder = XMLDecoder()) {
    var request = request
    request.headers[.accept] = request.headers[.accept] ?? MediaType.acceptXML
    self.init(request, parsing: .proportional) { response in
      try PatientThread.run(reading: response.body.count) {
        try response.decodeXML(R.self, at: path, by: decoder)
      }
    }
  }

  /// A request that servers answer with JSON or with XML; the media type of the answer decides, or its
  /// first character when the media type is neither.
  ///
  /// - Parameters:
  ///   - request: What to send. It asks for either unless it has an `Accept` of its own.
  ///   - json: How to decode JSON. It is used on several threads at once: don't change it afterwards.
  ///   - xml: How to decode XML.
  public init(
    jsonOrXML request: Request, json: JSONDecoder = JSONDecoder(), xml: XMLDecoder = XMLDecoder()
  ) {
    var request = request
    let accept = "\(MediaType.json.rawValue), \(MediaType.acceptXML)"
    request.headers[.accept] = request.headers[.accept] ?? accept
    let parsers = (
      json: Resource(json: request, decoder: json).parser,
      xml: Resource(xml: request, decoder: xml).parser
    )
    self.init(request, parsing: .proportional) { response in
      try response.isXML ? parsers.xml(response) : parsers.json(response)
    }
  }
}

extension Resource where R == XMLTree {
  /// The document of a request, read whole.
  ///
  /// - Parameters:
  ///   - request: What to send. It asks for XML unless it has an `Accept` of its own.
  ///   - options: Limits, and whether names have namespaces.
  public static func xml(_ request: Request, options: XMLOptions = XMLOptions()) -> Self {
    var request = request
    request.headers[.accept] = request.headers[.accept] ?? MediaType.acceptXML
    return Resource(request, parsing: .proportional) { response in
      try PatientThread.run(reading: response.body.count) {
        try response.xmlTree(options: options)
      }
    }
  }
}

extension MediaType {
  fileprivate static let acceptXML = "application/xml, text/xml;q=0.9, */*;q=0.5"
}
