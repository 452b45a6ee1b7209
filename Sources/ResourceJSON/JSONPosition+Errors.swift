package import Foundation

extension JSONPosition {
  /// The position of an error that ``JSONReader`` has thrown; `nil` if it has none.
  public init?(of error: any Error) {
    switch error {
    case let position as JSONPosition: self = position
    case let error as JSONSyntaxError: self = error.position
    case let error as JSONSizeError: self = error.position
    case let error as DecodingError:
      guard let underlying = error.context?.underlyingError else { return nil }
      self.init(of: underlying)
    default: return nil
    }
  }
}

extension JSONPosition {
  /// The position of an error that another decoder has thrown for a document; `nil` if it has none.
  package init?(of error: DecodingError, in data: Data) {
    do {
      let located = try JSONReader().decode(Located.self, from: data, configuration: error)
      self = located.position
    } catch {
      self.init(of: error)
    }
  }
}

extension JSONSyntaxError {
  /// Why data isn't a JSON document; `nil` if it is one.
  package init?(in data: Data) {
    do {
      _ = try JSONReader().decode(Anything.self, from: data)
      return nil
    } catch let error as DecodingError {
      guard let syntax = error.context?.underlyingError as? JSONSyntaxError else { return nil }
      self = syntax
    } catch {
      return nil
    }
  }
}

/// A value of any document, of which nothing is read.
private struct Anything: Decodable {
  init(from decoder: any Decoder) {}
}

/// The position of an error in a document, of which nothing else is read.
private struct Located: DecodableWithConfiguration {
  let position: JSONPosition

  init(from decoder: any Decoder, configuration error: DecodingError) throws {
    guard let document = (decoder as? JSONValueDecoder)?.document,
      let position = JSONPosition(of: error.located(in: document))
    else { throw error }
    self.position = position
  }
}

extension JSONScanError {
  /// The error for a document without a byte.
  static var empty: JSONScanError { JSONScanError("the text is empty", at: 0) }

  /// The error for a document that isn't text.
  static var invalidEncoding: JSONScanError {
    JSONScanError("the text isn't valid in its encoding", at: 0)
  }

  /// Returns the error that callers get.
  func error(in text: JSONText, from origin: TextOrigin) -> DecodingError {
    error(at: origin.position(of: offset, in: text))
  }

  /// Returns the error that callers get where there is no text.
  var error: DecodingError { error(at: JSONPosition(line: 1, column: 1, offset: 0)) }

  private func error(at position: JSONPosition) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: [], debugDescription: "The given data was not valid JSON: \(reason).",
        underlyingError: JSONSyntaxError(reason: reason, position: position)))
  }
}

extension DecodingError {
  /// Returns the error with the position of its value, unless it has an underlying error of its
  /// own.
  ///
  /// - Parameters:
  ///   - root: The word of the value that was decoded.
  ///   - outer: The number of keys to that value.
  func located(
    in document: JSONDocument, root: Int = JSONDocument.root, outer: Int = 0
  ) -> DecodingError {
    guard let context else { return self }
    let offset: Int
    switch context.underlyingError {
    case let known as JSONOffset: offset = known.offset
    case nil:
      let value = document.value(at: context.codingPath, from: root, outer: outer)
      offset = document[value].start
    default: return self
    }
    let located = Context(
      codingPath: context.codingPath, debugDescription: context.debugDescription,
      underlyingError: document.origin.position(of: offset, in: document.text))
    switch self {
    case .typeMismatch(let type, _): return .typeMismatch(type, located)
    case .valueNotFound(let type, _): return .valueNotFound(type, located)
    case .keyNotFound(let key, _): return .keyNotFound(key, located)
    case .dataCorrupted: return .dataCorrupted(located)
    @unknown default: return self
    }
  }

  var context: Context? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }
}

extension JSONDocument {
  /// Returns the word of the value at a path, or of the innermost container that exists on the way.
  fileprivate func value(at path: [any CodingKey], from root: Int, outer: Int) -> Int {
    var value = root
    for (depth, key) in path.enumerated().dropFirst(outer) {
      guard let next = child(key, of: value, at: path[..<depth]) else { break }
      value = next
    }
    return value
  }

  /// - Parameter path: The keys to the container.
  private func child(
    _ key: any CodingKey, of container: Int, at path: ArraySlice<any CodingKey>
  ) -> Int? {
    switch self[container].kind {
    case .object:
      // Keys of dictionaries aren't turned into others.
      return member(of: container) { converted($0, at: path) == key.stringValue }
        ?? member(of: container) { $0 == key.stringValue }
        ?? member(of: container) { $0.loose == key.stringValue.loose }
    case .array:
      guard let position = key.intValue, position < count(of: container) else { return nil }
      var word = container + 2
      for _ in 0..<position { word = next(word) }
      return word
    default: return nil
    }
  }

  private func converted(_ name: String, at path: ArraySlice<any CodingKey>) -> String {
    guard case .custom(let convert) = settings.keys else { return settings.converted(name) }
    return convert(Array(path) + [JSONKey.name(name)]).stringValue
  }

  private func member(of object: Int, where isNamed: (String) -> Bool) -> Int? {
    var word = object + 2
    while word < end(of: object) {
      if isNamed(string(self[word])) { return word + 1 }
      word = next(word + 1)
    }
    return nil
  }
}

extension String {
  /// The letters of a name whatever a key strategy does to it.
  fileprivate var loose: String { filter { $0 != "_" }.lowercased() }
}
