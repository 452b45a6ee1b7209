public import Foundation

/// A value of a document that arrives in pieces, as far as it is there.
public enum JSONPartial<Value> {
  /// The value of a document that isn't complete: of members, elements and strings those that are
  /// there, the last of them perhaps in part.
  case partial(Value)
  /// The value of the complete document.
  case whole(Value)

  /// The value of the complete document; `nil` for a part of it.
  public var whole: Value? { if case .whole(let value) = self { value } else { nil } }

  /// The value as far as it is there, for showing it. It may lack anything.
  public var soFar: Value {
    switch self {
    case .partial(let value), .whole(let value): value
    }
  }
}

extension JSONPartial: Sendable where Value: Sendable {}
extension JSONPartial: Equatable where Value: Equatable {}

/// The value of a document that arrives in pieces, as far as it is there.
///
/// ```swift
/// var answer = JSONReader().partials(of: Answer.self)
/// for piece in pieces {
///   if let partial = try answer.append(piece) { show(partial.soFar) }
/// }
/// let whole = try answer.finish()
/// ```
///
/// ``JSONReader/partials(of:maximumSize:)`` creates it. The text and its index are kept, so
/// that each byte is read once, however small the pieces are. The value is decoded anew for each
/// piece, which takes as long as decoding what is there.
public struct JSONPartials<Value: Decodable> {
  private let reader: JSONReader
  private let limit: Int
  private var buffer = PieceBuffer()
  private var indexer: Indexer?
  private var isComplete = false

  fileprivate init(_ reader: JSONReader, limit: Int) {
    self.reader = reader
    self.limit = limit
  }
}

extension JSONReader {
  /// Creates a reader of the value so far of a document that arrives in pieces.
  ///
  /// Members that aren't there yet are missing, so those of the type should be optional or have
  /// values of their own. A string is cut off where its text ends so far; a number, a word such as
  /// `true` and a name are there when they are complete. What can't be decoded yet, such as an
  /// element that lacks a member which its type requires, is left out, and with it everything
  /// behind it. A subclass of `JSONDecoder`, and one that allows JSON5, decodes the complete
  /// document only; a text that only JSON5 allows is a mistake here.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - maximumSize: The most bytes of the document in UTF-8. A larger one is a
  ///     ``JSONSizeError``.
  public func partials<Value: Decodable>(
    of type: Value.Type = Value.self, maximumSize: Int = 16 << 20
  ) -> JSONPartials<Value> {
    JSONPartials(self, limit: min(maximumSize, Self.maximumSize))
  }
}

extension JSONPartials {
  /// Adds the next piece, of any size. It may end anywhere, even within a character.
  ///
  /// - Returns: The value so far; `nil` if nothing can be decoded yet, or if the document was
  ///   complete before.
  /// - Throws: As ``JSONReader/decode(_:from:)``, for a mistake in the text and for a complete
  ///   document that doesn't fit the type; a ``JSONSizeError``.
  public mutating func append(_ piece: Data) throws -> JSONPartial<Value>? {
    buffer.append(piece)
    let wasComplete = isComplete
    guard try scan(), !wasComplete else { return nil }
    return isComplete ? .whole(try whole()) : partial().map { .partial($0) }
  }

  /// Ends the document.
  ///
  /// - Returns: The value of the complete document.
  /// - Throws: As ``JSONReader/decode(_:from:)``, also for a document that isn't complete.
  public mutating func finish() throws -> Value {
    buffer.finish()
    _ = try scan()
    return try whole()
  }
}

extension JSONPartials {
  /// Lists the values of what has arrived.
  ///
  /// - Returns: Whether there is something new.
  private mutating func scan() throws -> Bool {
    var isNew = false
    do {
      while try buffer.refill() { isNew = true }
    } catch {
      throw error.error
    }
    guard isNew else { return false }
    let bytes = buffer.bytes
    try unsafe bytes.withUnsafeBytes { bytes in
      guard let text = unsafe JSONText(bytes) else { throw JSONScanError.empty.error }
      guard text.count <= limit else {
        throw JSONSizeError(limit: limit, position: buffer.origin.position(of: 0, in: text))
      }
      do throws(JSONScanError) {
        try scan(text)
      } catch {
        throw error.error(in: text, from: buffer.origin)
      }
    }
    return true
  }

  private mutating func scan(_ text: JSONText) throws(JSONScanError) {
    var indexer: Indexer
    if let known = self.indexer {
      indexer = known
    } else {
      indexer = Indexer(text)
      indexer.begin(at: 0)
    }
    // The words are changed in place.
    self.indexer = nil
    defer { self.indexer = indexer }
    indexer.text = text
    if !isComplete { isComplete = try indexer.advance(isLast: buffer.isLast) }
    guard isComplete else { return }
    indexer.skipSpace()
    guard indexer.offset >= text.count else {
      throw JSONScanError("there is more behind the value", at: indexer.offset)
    }
  }
}

extension JSONPartials {
  /// Decodes the complete document.
  private func whole() throws -> Value {
    guard isComplete else { throw JSONScanError("the text ends too early", at: 0).error }
    guard !reader.isLeftToDecoder else {
      return try reader.decoder.decode(Value.self, from: Data(buffer.bytes))
    }
    return try decode(indexer?.words ?? [])
  }

  /// Decodes as much as can be decoded.
  private func partial() -> Value? {
    guard !reader.isLeftToDecoder, let indexer else { return nil }
    for cut in indexer.cuts {
      if let value = try? decode(indexer.words(endingAt: cut)) { return value }
    }
    return nil
  }

  private func decode(_ words: [UInt64]) throws -> Value {
    let bytes = buffer.bytes
    return try unsafe bytes.withUnsafeBytes { bytes in
      guard let text = unsafe JSONText(bytes) else { throw JSONScanError.empty.error }
      var document = JSONDocument(text, words, JSONSettings(reader.decoder), buffer.origin)
      // A type may have kept its decoder.
      defer { if !isKnownUniquelyReferenced(&document) { document.keepText() } }
      do {
        return try JSONContainer(holding: document).decode(Value.self, JSONDocument.root)
      } catch let error as DecodingError {
        throw error.located(in: document)
      }
    }
  }
}

extension JSONPartials {
  /// The number of bytes that have arrived, in UTF-8.
  package var count: Int { buffer.bytes.count }

  /// What has arrived; `nil` if it isn't UTF-8.
  package var beginning: Data? { buffer.beginning }
}
