public import Foundation
public import ResourceJSON
import ResourcePrimitives
import Synchronization

extension ResponseStream {
  /// The value of a JSON body as far as it has arrived, once for each piece.
  ///
  /// ```swift
  /// for try await answer in stream.partials(of: Answer.self) { show(answer.soFar) }
  /// ```
  ///
  /// The sequence ends with the whole value. Members that haven't arrived yet are missing, so the
  /// type's members should be optional; see `JSONReader.partials(of:maximumSize:)` in
  /// `ResourceJSON`.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - decoder: The settings for decoding; `nil` for the loader's.
  ///   - maximumSize: The most bytes of the document. A larger one is an error of kind
  ///     ``LoadError/Kind/tooLarge``.
  public func partials<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, decoder: JSONDecoder? = nil, maximumSize: Int = 16 << 20
  ) -> Partials<Value> {
    let reader = JSONReader(decoder ?? self.decoder)
    return Partials(stream: self) { reader.partials(of: type, maximumSize: maximumSize) }
  }

  /// The value of a body so far.
  public struct Partials<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    fileprivate let stream: ResponseStream
    fileprivate let partials: @Sendable () -> sending JSONPartials<Value>

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
      Iterator(
        stream: stream, pieces: stream.makeAsyncIterator(), document: DocumentReader(partials()))
    }

    /// Reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let stream: ResponseStream
      fileprivate var pieces: ResponseStream.Iterator
      fileprivate let document: DocumentReader<Value>

      /// Returns the value so far.
      ///
      /// - Returns: `nil` after the whole value.
      /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/parsing`` for a body that isn't such a
      ///   value; one of kind ``LoadError/Kind/tooLarge``; and what
      ///   ``ResponseStream/Iterator/next()`` throws.
      public mutating func next() async throws -> JSONPartial<Value>? {
        while !document.isOver {
          let piece = try await pieces.next()
          do {
            if let partial = try document.take(piece) { return partial }
          } catch {
            throw stream.explain(
              LoadError(
                reading: error, Value.self, document.beginning, of: stream,
                "Raise maximumSize if that much is expected"))
          }
        }
        return nil
      }
    }
  }
}

/// Reads the value so far of a document, on a thread that suits its size and depth.
final class DocumentReader<Value: Decodable & Sendable>: Sendable {
  private let state: Mutex<State>

  private struct State {
    var document: JSONPartials<Value>
    var isOver = false
  }

  init(_ document: consuming sending JSONPartials<Value>) {
    state = Mutex(State(document: document))
  }

  var isOver: Bool { state.withLock { $0.isOver } }

  var beginning: Data? { state.withLock { $0.document.beginning } }

  /// Takes a piece, or the end of the document.
  func take(_ piece: Data?) throws -> JSONPartial<Value>? {
    let size = state.withLock { $0.document.count } + (piece?.count ?? 0)
    // How deeply a text is nested shows only once all of it is there.
    return try LowPriorityThread.run(reading: size, isDeep: true) { [self] in
      try state.withLock { state in
        guard let piece else {
          state.isOver = true
          return .whole(try state.document.finish())
        }
        let partial = try state.document.append(piece)
        state.isOver = partial?.whole != nil
        return partial
      }
    }
  }
}

extension AsyncSequence where Element == ServerSentEvent {
  /// The value of a JSON document whose text comes in parts, each at a path of an event's data, as
  /// far as it has arrived.
  ///
  /// ```swift
  /// let stream = try await client.stream(request)
  /// let answers = stream.events.partials(of: Answer.self, joining: "choices[0].delta.content")
  /// for try await answer in answers { show(answer.soFar) }
  /// ```
  ///
  /// The sequence ends with the whole value, and doesn't wait for later events.
  ///
  /// - Parameters:
  ///   - type: The type of the document's value.
  ///   - path: The path to the text in the data of each event. An event without it, or with `null`,
  ///     adds nothing.
  ///   - decoder: The settings for decoding the document; `nil` for the default ones.
  ///   - maximumSize: The most bytes of the document. A larger one is an error of kind
  ///     ``LoadError/Kind/tooLarge``.
  ///   - isLast: Whether an event, which isn't read, is the last.
  public func partials<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, joining path: String, decoder: JSONDecoder? = nil,
    maximumSize: Int = 16 << 20,
    isLast: @escaping @Sendable (ServerSentEvent) -> Bool = { $0.data == "[DONE]" }
  ) -> JoinedPartials<Self, Value> {
    JoinedPartials(
      events: self, keys: [PathKey](path: path), decoder: decoder ?? JSONDecoder(),
      maximumSize: maximumSize, isLast: isLast)
  }
}

/// The value of a document so far whose text comes in parts; see
/// `partials(of:joining:decoder:maximumSize:isLast:)` of sequences of events.
public struct JoinedPartials<Events: AsyncSequence, Value: Decodable & Sendable>: AsyncSequence
where Events.Element == ServerSentEvent {
  fileprivate let events: Events
  fileprivate let keys: [PathKey]
  fileprivate let decoder: JSONDecoder
  fileprivate let maximumSize: Int
  fileprivate let isLast: @Sendable (ServerSentEvent) -> Bool

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      events: events.makeAsyncIterator(), settings: self,
      document: DocumentReader(
        JSONReader(decoder).partials(of: Value.self, maximumSize: maximumSize)))
  }

  /// Reads event by event.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var events: Events.AsyncIterator
    fileprivate let settings: JoinedPartials
    fileprivate let document: DocumentReader<Value>

    /// Returns the value so far.
    ///
    /// - Returns: `nil` after the whole value.
    /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/parsing`` for an event whose data isn't
    ///   JSON, or a document that isn't such a value; one of kind ``LoadError/Kind/tooLarge``; and
    ///   what the events throw.
    public mutating func next() async throws -> JSONPartial<Value>? {
      while !document.isOver {
        let event = try await events.next(isolation: #isolation)
        let text = try event.flatMap { settings.isLast($0) ? nil : $0 }.map(part)
        if text?.isEmpty == true { continue }
        do {
          if let partial = try document.take(text) { return partial }
        } catch let error as DecodingError {
          throw LoadError(error, in: document.beginning)
        } catch let error as JSONSizeError {
          throw LoadError(
            .tooLarge, "the document has more than \(error.limit) bytes",
            advice: "Raise maximumSize if that much is expected", underlying: error)
        } catch {
          throw LoadError(parser: error)
        }
      }
      return nil
    }

    /// Returns the part of the text in an event.
    private func part(_ event: ServerSentEvent) throws -> Data {
      let data = Data(event.data.utf8)
      do {
        let text = try JSONDecoder().read(String?.self, from: data, at: settings.keys)
        return Data((text ?? "").utf8)
      } catch DecodingError.keyNotFound {
        return Data()
      } catch let error as DecodingError {
        throw LoadError(error, in: data, called: "data of an event")
      }
    }
  }
}

extension JoinedPartials: Sendable where Events: Sendable {}
