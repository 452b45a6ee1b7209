#if XML
  import Foundation
  public import ResourceXML

  extension Request.Body {
    /// Creates a body of XML, which is written at once; see `XMLWriter`.
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
#endif
