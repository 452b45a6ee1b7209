internal import Foundation
internal import ResourceJSON

extension JSONValue {
  /// Reads JSON text, in time that grows with its bytes.
  ///
  /// - Throws: `DecodingError`.
  static func reading(_ text: Data) throws(DecodingError) -> JSONValue {
    do { return try JSONReader().decode(JSONValue.self, from: text) } catch let error
      as DecodingError
    {
      throw error
    } catch {
      throw .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "\(error)"))
    }
  }
}

/// Makes a value of the parts of a document.
struct JSONValueBuilder {
  /// The values of what is open, and those that are complete behind them.
  private var values: [JSONValue] = []
  /// The names of the members of open objects.
  private var names: [String] = []
  /// Where in `values` and `names` that which is open begins.
  private var open: [(value: Int, name: Int)] = []

  /// The value on which a decoder stands; `nil` if the decoder isn't `JSONReader`'s.
  ///
  /// - Throws: `DecodingError` for a number without a `Double`.
  static func value(in decoder: any Decoder) throws -> JSONValue? {
    var builder = JSONValueBuilder()
    guard try JSONReader.forEachPart(in: decoder, { builder.take($0) }) else { return nil }
    return builder.values.popLast()
  }

  /// What is complete is taken off the end and put there as one, so nothing is ever copied twice.
  private mutating func take(_ part: JSONPart) {
    switch part {
    case .null: values.append(.null)
    case .bool(let value): values.append(.bool(value))
    case .integer(let value): values.append(.integer(value))
    case .number(let value): values.append(.number(value))
    case .string(let value): values.append(.string(value))
    case .name(let name): names.append(name)
    case .start: open.append((values.count, names.count))
    case .end(let isObject): close(isObject: isObject)
    }
  }

  private mutating func close(isObject: Bool) {
    guard let start = open.popLast() else { return }
    // Of several members with one name the first counts, as in Foundation's decoder.
    let value: JSONValue =
      isObject
      ? .object(
        Dictionary(zip(names[start.name...], values[start.value...])) { first, _ in first })
      : .array(Array(values[start.value...]))
    values.removeSubrange(start.value...)
    names.removeSubrange(start.name...)
    values.append(value)
  }
}
