internal import Foundation
internal import ResourcePrimitives

/// Values of a document that arrives in pieces: what has arrived, and what has been found in it.
struct PieceValues {
  private let reader: JSONReader
  private let settings: JSONSettings
  private let source: Source
  private let limit: Int
  private var buffer = PieceBuffer()
  private var scanner: (any PieceScanner)?
  private var batch: DecodedBatch?
  /// The error behind the values of the batch.
  private var failure: (any Error)?
  private var needsMore = true
  private var isOver = false

  enum Source {
    case array([PathKey])
    case sequence(JSONSequenceForm)
  }

  /// Values that are complete, and how many of them have been decoded.
  private struct DecodedBatch {
    var document: JSONDocument
    let values: Batch
    let isArray: Bool
    var position = 0
    var word = JSONDocument.root

    /// Goes to the next value. A type may have kept its decoder, which needs the text then.
    mutating func advance() {
      if !isKnownUniquelyReferenced(&document) { document.keepText() }
      position += 1
      word = document.next(word)
    }
  }

  init(_ reader: JSONReader, _ source: Source, limit: Int) {
    self.reader = reader
    settings = JSONSettings(reader.decoder)
    self.source = source
    self.limit = limit
  }
}

extension PieceValues {
  mutating func append(_ piece: Data) { buffer.append(piece) }

  mutating func finish() { buffer.finish() }

  /// Finds the next value.
  ///
  /// - Returns: Whether there is one.
  mutating func prepare() throws -> Bool {
    while true {
      if let batch, batch.position < batch.values.count { return true }
      batch = nil
      if let failure {
        self.failure = nil
        throw failure
      }
      guard !isOver, try fill() else { return false }
    }
  }

  /// The text of the value that is decoded next.
  var upcoming: ArraySlice<UInt8>? {
    batch.map { buffer.bytes[$0.values.ranges[$0.position]] }
  }

  /// Whether nothing follows, whatever is added.
  var isFinished: Bool {
    isOver && failure == nil && (batch.map { $0.position >= $0.values.count } ?? true)
  }

  /// What has arrived; `nil` if some of it has been dropped, or it isn't UTF-8.
  var beginning: Data? { buffer.beginning }
}

extension PieceValues {
  /// Scans what has arrived.
  ///
  /// - Returns: Whether there may be values now.
  private mutating func fill() throws -> Bool {
    do {
      if let scanner { self.scanner?.drop(buffer.drop(scanner.needed)) }
      if needsMore { guard try buffer.refill() else { return false } }
      needsMore = false
      return try scan()
    } catch {
      isOver = true
      throw (error as? JSONScanError)?.error ?? error
    }
  }

  private mutating func scan() throws -> Bool {
    let bytes = buffer.bytes
    return try unsafe bytes.withUnsafeBytes { bytes in
      guard let text = unsafe JSONText(bytes) else {
        // Only a document without a byte has none.
        isOver = true
        if case .sequence = source { return false }
        throw JSONScanError.empty
      }
      var scanner = scanner ?? source.scanner(text, settings, limit: limit)
      // The scanner is used in place.
      self.scanner = nil
      defer { self.scanner = scanner }
      do {
        switch try scanner.scan(text, buffer.origin, isLast: buffer.isLast) {
        case .needsMore: needsMore = true
        case .full: break
        case .end: isOver = true
        }
      } catch {
        failure = located(error, in: text)
        isOver = !scanner.recover()
      }
      take(scanner, text)
      return true
    }
  }

  /// Takes the values that the scanner has found.
  private mutating func take(_ scanner: any PieceScanner, _ text: JSONText) {
    guard scanner.batch.count > 0 else { return }
    let document = JSONDocument(
      text, scanner.indexer.words, settings, buffer.origin, outerPath: scanner.outerPath)
    var isArray = false
    if case .array = source { isArray = true }
    batch = DecodedBatch(document: document, values: scanner.batch, isArray: isArray)
  }

  private func located(_ error: any Error, in text: JSONText) -> any Error {
    switch error {
    case let error as JSONScanError: error.error(in: text, from: buffer.origin)
    case let error as OversizeScan:
      JSONSizeError(
        limit: limit, position: buffer.origin.position(of: error.offset, in: text))
    default: error
    }
  }
}

extension PieceValues {
  /// Decodes the next value of the batch.
  ///
  /// ``prepare()`` has to have found one.
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard var current = batch.take() else { throw JSONScanError.empty.error }
    defer {
      current.advance()
      batch = current
    }
    let bytes = buffer.bytes
    guard !reader.isLeftToDecoder else {
      return try reader.decoder.decode(
        type, from: Data(bytes[current.values.ranges[current.position]]))
    }
    return try unsafe bytes.withUnsafeBytes { bytes in
      guard let text = unsafe JSONText(bytes) else { throw JSONScanError.empty.error }
      current.document.use(text)
      return try Self.decode(type, current)
    }
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ batch: DecodedBatch
  ) throws -> Value {
    let document = batch.document
    let word = batch.word
    let container =
      batch.isArray
      ? JSONContainer(
        holding: document, element: word, position: batch.values.first + batch.position)
      : JSONContainer(holding: document)
    do {
      if case .itself = document.form(of: type) {
        return try type.init(from: JSONValueDecoder(container, at: word))
      }
      return try container.decode(type, word)
    } catch let error as DecodingError {
      let outer = document.outerPath.count + (batch.isArray ? 1 : 0)
      throw error.located(in: document, root: word, outer: outer)
    }
  }
}

extension PieceValues.Source {
  fileprivate func scanner(
    _ text: JSONText, _ settings: JSONSettings, limit: Int
  ) -> any PieceScanner {
    switch self {
    case .array(let path): ElementScanner(text, at: path, settings, limit: limit)
    case .sequence(let form): SequenceScanner(text, form, limit: limit)
    }
  }
}
