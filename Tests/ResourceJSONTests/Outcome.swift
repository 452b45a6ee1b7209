import Foundation
import ResourceJSON

/// What decoding came to: a value or an error, as a text that can be compared.
struct Outcome: Equatable, CustomStringConvertible {
  let description: String
  private(set) var path = ""

  init(_ body: () throws -> String) {
    do { description = "value " + (try body()) } catch let error as DecodingError {
      let path: [any CodingKey]
      switch error {
      case .typeMismatch(let type, let context):
        (description, path) = ("typeMismatch \(type) ", context.codingPath)
      case .valueNotFound(let type, let context):
        (description, path) = ("valueNotFound \(type) ", context.codingPath)
      case .keyNotFound(let key, let context):
        (description, path) = ("keyNotFound \(key.stringValue) ", context.codingPath)
      case .dataCorrupted(let context):
        description = "dataCorrupted"
        self.path = Self.show(context.codingPath)
        return
      @unknown default: (description, path) = ("unknown", [])
      }
      self.path = Self.show(path)
    } catch {
      description = "other \(error)"
    }
  }

  private static func show(_ path: [any CodingKey]) -> String {
    path.map { "\($0.stringValue)/\($0.intValue.map(String.init) ?? "-")" }.joined(separator: ".")
  }

  /// Whether this is what Foundation came to. Its errors for numbers that don't fit have no path,
  /// and those for dates not the last key.
  func agrees(with foundation: Outcome) -> Bool {
    guard description == foundation.description else { return false }
    return path == foundation.path
      || description == "dataCorrupted" && path.hasPrefix(foundation.path)
  }

  /// Whether this is an error.
  var isError: Bool { !description.hasPrefix("value ") }

  /// What either decoder makes of a document.
  static func both<Value: Decodable>(
    _ type: Value.Type, _ data: Data, _ decoder: JSONDecoder = JSONDecoder(),
    _ show: (Value) -> String = { "\($0)" }
  ) -> (ours: Outcome, foundation: Outcome) {
    (
      Outcome { show(try JSONReader(decoder).decode(type, from: data)) },
      Outcome { show(try decoder.decode(type, from: data)) }
    )
  }
}
