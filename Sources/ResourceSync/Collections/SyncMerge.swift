import Foundation
import ResourceLoading

/// Joins what was changed here with what was changed on the server, field by field.
struct SyncMerge<Model: SyncedModel> {
  let version: SyncVersion<Model>?

  enum Outcome {
    case merged(Model?)
    case conflict
  }

  /// - Parameter prefersMine: Whether a field that both have changed is as here, without a conflict.
  func merge(
    base: Model?, mine: Model?, theirs: Model?, prefersMine: Bool = false
  ) throws -> Outcome {
    if try isSame(mine, theirs) || isSame(mine, base) { return .merged(theirs) }
    if try isSame(base, theirs) { return .merged(mine.map { carrying($0, from: theirs) }) }
    guard let mine, let theirs, base != nil || prefersMine else {
      return prefersMine ? .merged(mine) : .conflict
    }
    let old = try base.map(fields) ?? [:]
    let (own, other) = (try fields(carrying(mine, from: theirs)), try fields(theirs))
    var result = other
    for name in Set(own.keys).union(old.keys) where own[name] != old[name] {
      let isContested = other[name] != old[name] && other[name] != own[name]
      if try isContested && !prefersMine && !isVersion(name, of: mine, theirs) { return .conflict }
      result[name] = own[name]
    }
    let text = try SyncJSON.encode(JSONValue.object(result))
    return .merged(carrying(try SyncJSON.decode(Model.self, from: text), from: theirs))
  }

  /// Whether two rows are equal except for their versions.
  func isSame(_ one: Model?, _ other: Model?) throws -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): try fields(carrying(one, from: other)) == fields(other)
    default: false
    }
  }

  /// Whether two rows are equal with their versions.
  func isEqual(_ one: Model?, _ other: Model?) throws -> Bool {
    try one.map(fields) == other.map(fields)
  }

  /// Returns a row with the version of another one.
  func carrying(_ model: Model, from other: Model?) -> Model {
    guard let version, let other else { return model }
    var model = model
    version.copy(other, &model)
    return model
  }

  /// Whether a field changes with the version.
  private func isVersion(_ name: String, of one: Model, _ other: Model) throws -> Bool {
    try fields(one)[name] != fields(carrying(one, from: other))[name]
  }

  private func fields(_ model: Model) throws -> [String: JSONValue] {
    guard case .object(let fields) = try JSONValue(parsing: SyncJSON.encode(model)) else {
      return [:]
    }
    return fields.filter { $0.value != .null }
  }
}

/// The form in which rows are kept beside their table.
enum SyncJSON {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(value)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: data)
  }
}
