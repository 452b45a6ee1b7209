#if XML
  import ResourcePrimitives
  import ResourceXML

  extension LoadError {
    /// Creates the error for a body that isn't well-formed.
    init(xml error: XMLError, isHTML: Bool) {
      self.init(
        .parsing,
        isHTML ? "the body is HTML, not XML" : "the body isn't well-formed XML: \(error.message)",
        advice: isHTML
          ? "Check the URL: servers answer like this for login, error and landing pages" : nil,
        underlying: error)
      parsing = ParsingFailure(
        path: "", line: error.line, column: error.column, snippet: error.snippet)
    }

    /// Creates the error for a document that doesn't fit the type.
    init(xml error: DecodingError) {
      let (context, type, key) = error.parts
      let place = context?.underlyingError as? XMLError
      self.init(
        .parsing, place?.message ?? context?.debugDescription ?? "decoding failed",
        underlying: error)
      let path = (context?.codingPath ?? []) + (key.map { [$0] } ?? [])
      parsing = ParsingFailure(
        path: path.dotted, expectedType: type.map { "\($0)" }, line: place?.line,
        column: place?.column, snippet: place?.snippet)
    }

    /// Returns the error with the expected type.
    func wanting(_ type: Any.Type) -> LoadError {
      var error = self
      error.parsing = error.parsing ?? ParsingFailure(path: "")
      error.parsing?.expectedType = "\(type)"
      return error
    }
  }

  extension DecodingError {
    /// The associated values of the cases.
    fileprivate var parts: (context: Context?, type: Any.Type?, key: (any CodingKey)?) {
      switch self {
      case .typeMismatch(let type, let context): (context, type, nil)
      case .valueNotFound(let type, let context): (context, type, nil)
      case .keyNotFound(let key, let context): (context, nil, key)
      case .dataCorrupted(let context): (context, nil, nil)
      @unknown default: (nil, nil, nil)
      }
    }
  }
#endif
