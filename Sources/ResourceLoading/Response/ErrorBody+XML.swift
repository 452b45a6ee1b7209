#if XML
  public import ResourceXML

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
#endif
