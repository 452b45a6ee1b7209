import Foundation
import ResourceJSON

/// A document in pieces, beside the same document as a whole.
enum PieceTrial {
  /// What came out of a document: values and the error behind them.
  struct Result: Equatable {
    var values: [Tree] = []
    var error: String?
  }

  /// An error with everything that must not depend on the pieces.
  private static func show(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let (name, context): (String, DecodingError.Context) =
      switch error {
      case .typeMismatch(let type, let context): ("mismatch \(type)", context)
      case .valueNotFound(let type, let context): ("no value \(type)", context)
      case .keyNotFound(let key, let context): ("no key \(key.stringValue)", context)
      case .dataCorrupted(let context): ("corrupted", context)
      @unknown default: preconditionFailure("an unknown error")
      }
    let path = context.codingPath.map { "\($0.stringValue)/\($0.intValue ?? -1)" }
    let position = JSONPosition(of: error)
    return "\(name) \(path) \(context.debugDescription) \(context.underlyingError ?? error) "
      + "\(position.map { "\($0.line):\($0.column):\($0.offset)" } ?? "nowhere")"
  }

  /// Splits data at offsets.
  static func pieces(_ data: Data, at cuts: [Int]) -> [Data] {
    zip([0] + cuts, cuts + [data.count]).map { Data(data[$0..<$1]) }
  }

  static func whole(_ data: Data) -> Result {
    do { return Result(values: [try JSONReader().decode(Tree.self, from: data)]) } catch {
      return Result(error: show(error))
    }
  }

  /// - Parameter grows: Whether each value so far goes on where the one before ends. Where a value
  ///   turns out to be wrong it is taken back.
  static func partials(_ pieces: [Data], grows: Bool) -> Result {
    var document = JSONReader().partials(of: Tree.self)
    var last: Tree?
    do {
      for piece in pieces {
        guard let partial = try document.append(piece) else { continue }
        if grows, let last, !partial.soFar.extends(last) {
          return Result(error: "\(partial) doesn't extend \(last)")
        }
        last = partial.soFar
      }
      return Result(values: [try document.finish()])
    } catch {
      return Result(error: show(error))
    }
  }

  static func elements(_ pieces: [Data], at path: String = "") -> Result {
    read(JSONReader().elements(of: Tree.self, at: path), pieces)
  }

  private static func read(_ elements: JSONElements<Tree>, _ pieces: [Data]) -> Result {
    var elements = elements
    var result = Result()
    do {
      for piece in pieces {
        elements.append(piece)
        while let element = try elements.next() { result.values.append(element) }
      }
      elements.finish()
      while let element = try elements.next() { result.values.append(element) }
    } catch {
      result.error = show(error)
    }
    return result
  }
}

extension Tree {
  /// Whether a value goes on where another one ends.
  fileprivate func extends(_ earlier: Tree) -> Bool {
    switch (earlier, self) {
    case (.string(let earlier), .string(let later)):
      later.unicodeScalars.starts(with: earlier.unicodeScalars)
    case (.array(let earlier), .array(let later)):
      earlier.count <= later.count && zip(earlier, later).allSatisfy { $1.extends($0) }
    case (.object(let earlier), .object(let later)):
      earlier.allSatisfy { name, value in later[name]?.extends(value) == true }
    default: earlier == self
    }
  }
}
