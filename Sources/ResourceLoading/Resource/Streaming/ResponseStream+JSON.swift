public import Foundation
public import ResourceJSON
import ResourcePrimitives
import Synchronization

extension ResponseStream {
  /// The values of a body that has one JSON document after the other, as they arrive.
  ///
  /// - Parameters:
  ///   - type: The type of each value.
  ///   - form: What stands between the values; by default each line has one, and empty lines are
  ///     skipped.
  ///   - decoder: The settings for decoding; `nil` for the loader's.
  ///   - maximumValueSize: The most bytes of a value. A larger one is an error of kind
  ///     ``LoadError/Kind/tooLarge``.
  public func values<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, in form: JSONSequenceForm = .lines,
    decoder: JSONDecoder? = nil, maximumValueSize: Int = 16 << 20
  ) -> Values<Value> {
    let reader = JSONReader(decoder ?? self.decoder)
    return Values(stream: self, advice: "Raise maximumValueSize if that much is expected") {
      reader.values(of: type, in: form, maximumValueSize: maximumValueSize)
    }
  }

  /// The elements of an array in a JSON document, each as soon as it is complete.
  ///
  /// ```swift
  /// let stream = try await client.stream(.get("/issues"))
  /// for try await issue in stream.elements(of: Issue.self, at: "items") { show(issue) }
  /// ```
  ///
  /// No more of the body is kept than the largest element, and what a slow reader leaves unread:
  /// then the transport stops reading from the connection.
  ///
  /// - Parameters:
  ///   - type: The type of an element.
  ///   - path: The path to the array, as errors show it: `data.pages[0].items`; or a JSON Pointer
  ///     (RFC 6901). By default the document is the array.
  ///   - decoder: The settings for decoding; `nil` for the loader's.
  ///   - maximumElementSize: The most bytes of an element. A larger one is an error of kind
  ///     ``LoadError/Kind/tooLarge``.
  public func elements<Element: Decodable & Sendable>(
    of type: Element.Type = Element.self, at path: String = "", decoder: JSONDecoder? = nil,
    maximumElementSize: Int = 16 << 20
  ) -> Values<Element> {
    let reader = JSONReader(decoder ?? self.decoder)
    return Values(stream: self, advice: "Raise maximumElementSize if that much is expected") {
      reader.elements(of: type, at: path, maximumElementSize: maximumElementSize)
    }
  }

  /// Values that are decoded as they arrive.
  public struct Values<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    fileprivate let stream: ResponseStream
    fileprivate let advice: String
    fileprivate let elements: @Sendable () -> sending JSONElements<Value>

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
      Iterator(
        pieces: stream.makeAsyncIterator(), reader: PieceReader(elements(), of: stream, advice))
    }

    /// Reads value by value.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var pieces: ResponseStream.Iterator
      fileprivate let reader: PieceReader<Value>

      /// Returns the next value.
      ///
      /// - Returns: `nil` at the end of the body.
      /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/parsing`` for what isn't such a value,
      ///   with its line and column in the whole body; one of kind ``LoadError/Kind/tooLarge``;
      ///   and what ``ResponseStream/Iterator/next()`` throws.
      public mutating func next() async throws -> Value? { try await reader.next(&pieces) }
    }
  }
}

extension Loader {
  /// Loads the elements of an array in a JSON document, each as soon as it is complete.
  ///
  /// ```swift
  /// for try await issue in client.elements(of: Issue.self, at: "items", in: .get("/issues")) {
  ///   show(issue)
  /// }
  /// ```
  ///
  /// The request is sent when the sequence is iterated, once for each iterator. A ``Client`` reads
  /// the body as it arrives, no faster than its elements are taken; other loaders load all of it
  /// first. Leaving the loop, or cancelling its task, cancels the load.
  ///
  /// - Parameters:
  ///   - type: The type of an element.
  ///   - path: The path to the array, as errors show it: `data.pages[0].items`; or a JSON Pointer
  ///     (RFC 6901). By default the document is the array.
  ///   - request: The request.
  ///   - decoder: The settings for decoding; `nil` for the loader's.
  ///   - maximumElementSize: The most bytes of an element. A larger one is an error of kind
  ///     ``LoadError/Kind/tooLarge``.
  public func elements<Element: Decodable & Sendable>(
    of type: Element.Type = Element.self, at path: String = "", in request: Request,
    decoder: JSONDecoder? = nil, maximumElementSize: Int = 16 << 20
  ) -> LoadedElements<Element> {
    var request = request
    request.headers.imply(.accept, MediaType.json.rawValue)
    return LoadedElements { [self, request] in
      try await stream(request).elements(
        of: type, at: path, decoder: decoder, maximumElementSize: maximumElementSize)
    }
  }
}

/// The elements of an array that is loaded; see
/// ``Loader/elements(of:at:in:decoder:maximumElementSize:)``.
public struct LoadedElements<Element: Decodable & Sendable>: AsyncSequence, Sendable {
  fileprivate let open: @Sendable () async throws -> ResponseStream.Values<Element>

  /// Creates an iterator with a load of its own, which begins with the first element.
  public func makeAsyncIterator() -> Iterator { Iterator(open: open) }

  /// Reads element by element.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let open: @Sendable () async throws -> ResponseStream.Values<Element>
    private var elements: ResponseStream.Values<Element>.Iterator?

    fileprivate init(open: @escaping @Sendable () async throws -> ResponseStream.Values<Element>) {
      self.open = open
    }

    /// Returns the next element.
    ///
    /// - Returns: `nil` at the end of the body.
    /// - Throws: A ``LoadError`` as of a load, of kind ``LoadError/Kind/parsing`` with line and
    ///   column in the whole body; `CancellationError` if the calling task is cancelled.
    public mutating func next() async throws -> Element? {
      if elements == nil { elements = try await open().makeAsyncIterator() }
      return try await elements?.next()
    }
  }
}

extension Resource {
  /// The elements of an array in a JSON document, decoded one after another.
  ///
  /// The value is that of ``json(_:as:at:decoder:)-(Request,_,_,_)`` with an array. It takes less
  /// memory, since only the elements are listed and never all of them at once.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type of an element.
  ///   - path: The path to the array, as errors show it: `data.pages[0].items`; or a JSON Pointer
  ///     (RFC 6901). By default the document is the array.
  ///   - decoder: The settings for decoding; `nil` for the loader's.
  public static func elements<Element: Decodable & Sendable>(
    _ request: Request, of type: Element.Type = Element.self, at path: String = "",
    decoder: JSONDecoder? = nil
  ) -> Self where R == [Element] {
    var request = request
    request.headers.imply(.accept, MediaType.json.rawValue)
    return Resource(request, parsing: .proportional) { response in
      let body = response.body
      let decoder = decoder ?? response.decoder
      return try LowPriorityThread.run(
        reading: body.count, isDeep: NestingDepth.isDeep(json: body)
      ) {
        var elements = JSONReader(decoder).elements(
          of: type, at: path, maximumElementSize: body.count)
        elements.append(body)
        elements.finish()
        var values: [Element] = []
        while let element = try elements.next() { values.append(element) }
        return values
      }
    }
  }
}
