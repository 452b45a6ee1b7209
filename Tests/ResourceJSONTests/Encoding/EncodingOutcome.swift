import Foundation
import ResourceJSON

/// What encoding came to.
enum EncodingOutcome: Equatable {
  case text(Data)
  /// An error, with what was wrong and where.
  case error(String)

  init(_ body: () throws -> Data) {
    do { self = .text(try body()) } catch EncodingError.invalidValue(let value, let context) {
      let path = context.codingPath.map {
        "\($0.stringValue)/\($0.intValue.map(String.init) ?? "-")"
      }
      self = .error("\(type(of: value)) \(value) \(path) \(context.debugDescription)")
    } catch {
      self = .error("\(error)")
    }
  }

  /// Whether this is the same, but for the order of members: without sorting, that of `JSONEncoder`
  /// is any.
  func agrees(with other: Self, isSorted: Bool) -> Bool {
    guard !isSorted, case .text(let text) = self, case .text(let other) = other else {
      return self == other
    }
    guard text.sorted() == other.sorted() else { return false }
    let trees = [text, other].map { try? JSONReader().decode(Tree.self, from: $0) }
    return trees[0] == trees[1]
  }
}

/// One comparison of `JSONWriter` with `JSONEncoder`.
enum EncodingTrial {
  /// Returns what differs for the value and the encoder of a seed; `nil` if nothing does.
  static func difference(_ seed: UInt64) -> String? {
    var generator = ScriptGenerator(seed)
    let encoder = generator.encoder()
    return difference(seed, Scripted(script: generator.script()), encoder)
  }

  private static func difference(
    _ seed: UInt64, _ value: Scripted, _ encoder: JSONEncoder
  ) -> String? {
    let ours = EncodingOutcome { try JSONWriter(encoder).encode(value) }
    let foundation = EncodingOutcome { try encoder.encode(value) }

    // Of several wrong numbers in a dictionary `JSONEncoder` tells any: compare without them.
    if case .error(let error) = ours, case .error(let other) = foundation, error != other {
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      encoder.dateEncodingStrategy = .iso8601
      return difference(seed, value, encoder)
    }
    let isSorted = encoder.outputFormatting.contains(.sortedKeys)
    guard ours.agrees(with: foundation, isSorted: isSorted) else {
      return "\(seed)\nours       \(ours.shown)\nfoundation \(foundation.shown)\n\(value)"
    }
    guard case .text(let text) = ours else { return nil }
    do { _ = try JSONReader().decode(Tree.self, from: text) } catch {
      return "\(seed) isn't read back: \(error) \(ours.shown)"
    }
    return nil
  }
}

extension EncodingOutcome {
  var shown: String {
    switch self {
    case .text(let text): String(decoding: text, as: UTF8.self)
    case .error(let error): "error: \(error)"
    }
  }
}
