import Foundation

/// A value that becomes JSON when it is sent.
struct JSONContent: Sendable {
  let value: any Encodable & Sendable
  /// `nil` leaves it to the loader.
  let encoder: JSONEncoder?

  /// - Parameter loaderEncoder: The encoder of whoever loads it.
  /// - Throws: `LoadError` of kind `invalidRequest` with the coding path.
  func data(encoder loaderEncoder: JSONEncoder) throws -> Data {
    do {
      return try (encoder ?? loaderEncoder).encode(value)
    } catch {
      throw LoadError(encoding: error)
    }
  }
}

extension JSONContent: Hashable {
  static func == (one: Self, other: Self) -> Bool {
    one.encoder === other.encoder && one.fingerprint == other.fingerprint
  }

  func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

  /// The JSON in a stable order; for what can't be encoded the description of the error.
  private var fingerprint: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do { return try encoder.encode(value) } catch { return Data("\(error)".utf8) }
  }
}

extension LoadError {
  /// What an encoder threw for a value that was to be sent. The error itself isn't kept where it holds the
  /// value, which may be a secret.
  init(encoding error: any Error) {
    guard case EncodingError.invalidValue(_, let context) = error else {
      self.init(
        .invalidRequest, "the value to send threw \(error) when it was encoded", underlying: error)
      return
    }
    let path = context.codingPath.dotted
    self.init(
      .invalidRequest,
      "the value at \(path.isEmpty ? "the root" : path) can't be encoded: \(context.debugDescription)",
      advice: "Change the value, or give the body an encoder that can encode it")
  }
}
