import Foundation
import ResourceJSON
import ResourcePrimitives
import Synchronization

/// Reads values out of the pieces of a stream's body. Where a value is large, or nested deeper than
/// the stack allows, it is decoded on a thread that suits it.
final class PieceReader<Element: Decodable & Sendable>: Sendable {
  private let elements: Mutex<JSONElements<Element>>
  private let stream: ResponseStream
  private let advice: String

  init(
    _ elements: consuming sending JSONElements<Element>, of stream: ResponseStream,
    _ advice: String
  ) {
    self.elements = Mutex(elements)
    self.stream = stream
    self.advice = advice
  }

  /// Returns the next value from the pieces of the stream; `nil` at the end of the body.
  func next(_ pieces: inout ResponseStream.Iterator) async throws -> Element? {
    while true {
      if let element = try ready() { return element }
      if elements.withLock({ $0.isFinished }) { return nil }
      if let piece = try await pieces.next() {
        elements.withLock { $0.append(piece) }
      } else {
        elements.withLock { $0.finish() }
      }
    }
  }

  /// Returns the next value of what has arrived.
  private func ready() throws -> Element? {
    do {
      guard let text = try elements.withLock({ try $0.upcoming() }) else { return nil }
      return try LowPriorityThread.run(
        reading: text.count, isDeep: NestingDepth.isDeep(json: Data(text))
      ) { [self] in try elements.withLock { try $0.next() } }
    } catch {
      let beginning = elements.withLock { $0.beginning }
      throw stream.explain(LoadError(reading: error, Element.self, beginning, of: stream, advice))
    }
  }
}

extension LoadError {
  /// Creates the error for a stream whose body can't be decoded. `beginning` is the body so far;
  /// `nil` if some of it has been dropped.
  init(
    reading error: any Error, _ type: Any.Type, _ beginning: Data?, of stream: ResponseStream,
    _ advice: String
  ) {
    let secretNames = stream.request.options.secretNames
    switch error {
    case let error as DecodingError:
      if let beginning {
        let response = Response(
          url: stream.url, status: stream.status, headers: stream.headers, body: beginning)
        self.init(decoding: error, of: type, in: response, secretNames: secretNames)
      } else {
        // What was dropped may have had the name of a secret that is in the rest.
        self.init(error, in: nil, called: "body", secretNames: secretNames)
      }
      underlying = error
    case let error as JSONSizeError:
      self.init(
        .tooLarge, "a value of the stream has more than \(error.limit) bytes", advice: advice,
        underlying: error)
      parsing = ParsingFailure(
        path: "", expectedType: "\(type)", line: error.position.line, column: error.position.column)
    case let error as LoadError: self = error
    default: self.init(parser: error)
    }
  }
}
