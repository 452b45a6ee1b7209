import Foundation

/// What a type does to encode itself, as a value: so that types can be made at random.
indirect enum Script {
  case nothing
  /// A value in the container for a single one.
  case single(Item)
  /// Steps in keyed containers, of which the first is the encoder's own.
  case keyed([Step])
  /// Steps in unkeyed containers, of which the first is the encoder's own.
  case unkeyed([Step])
  /// An object in the container for a single value, and then steps in the keyed one.
  case singleThenKeyed([Step], [Step])

  /// A value, encoded by the method for its type where there is one.
  enum Item {
    case null
    case bool(Bool)
    case int(Int)
    case uint8(UInt8)
    case int64(Int64)
    case uint64(UInt64)
    case int128(Int128)
    case double(Double)
    case float(Float)
    case string(String)
    case any(any Encodable)
    case script(Script)
    /// The path of the encoder or the container.
    case path
  }

  /// A step in one of the containers that are open, by their number.
  struct Step {
    var container: Int
    var name: String
    var action: Action
  }

  enum Action {
    case encode(Item)
    case nestedKeyed
    case nestedUnkeyed
    /// The encoder of a superclass, which is let go at once or later.
    case superEncoder(Script, isKept: Bool)
    case lastSuperEncoderEnds
    /// The same container again.
    case again
    /// A value that encodes itself by this encoder.
    case share([Step])
    case ifPresent(Int?)
    case conditional
  }
}

/// A value that encodes itself by a script.
struct Scripted: Encodable {
  let script: Script

  func encode(to encoder: any Encoder) throws {
    switch script {
    case .nothing: break
    case .single(let item):
      var container = encoder.singleValueContainer()
      try container.encode(item)
    case .keyed(let steps):
      var run = ScriptRun(encoder, keyed: [encoder.container(keyedBy: Name.self)])
      try run.run(steps)
    case .unkeyed(let steps):
      var run = ScriptRun(encoder, unkeyed: [encoder.unkeyedContainer()])
      try run.run(steps)
    case .singleThenKeyed(let first, let second):
      var container = encoder.singleValueContainer()
      try container.encode(Scripted(script: .keyed(first)))
      var run = ScriptRun(encoder, keyed: [encoder.container(keyedBy: Name.self)])
      try run.run(second)
    }
  }
}

private final class Reference: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("reference")
  }
}

/// A script that runs, and what it has open.
private struct ScriptRun {
  let encoder: any Encoder
  /// Whether the encoder's own container is a keyed one.
  let isObject: Bool
  var keyed: [KeyedEncodingContainer<Name>]
  var unkeyed: [any UnkeyedEncodingContainer]
  private var newKeyed: [KeyedEncodingContainer<Name>] = []
  private var newUnkeyed: [any UnkeyedEncodingContainer] = []
  private var supers: [any Encoder] = []

  init(
    _ encoder: any Encoder, keyed: [KeyedEncodingContainer<Name>] = [],
    unkeyed: [any UnkeyedEncodingContainer] = []
  ) {
    self.encoder = encoder
    isObject = unkeyed.isEmpty
    self.keyed = keyed
    self.unkeyed = unkeyed
  }

  mutating func run(_ steps: [Script.Step]) throws {
    for step in steps {
      let index = step.container % (keyed.count + unkeyed.count)
      if index < keyed.count {
        var object = keyed[index]
        try run(step.action, Name(stringValue: step.name), &object)
      } else {
        var array = unkeyed[index - keyed.count]
        try run(step.action, &array)
      }
      take()
    }
    while !supers.isEmpty { supers.removeFirst() }
  }

  private mutating func take() {
    keyed += newKeyed
    unkeyed += newUnkeyed
    newKeyed = []
    newUnkeyed = []
  }
}

extension ScriptRun {
  private mutating func run(
    _ action: Script.Action, _ name: Name, _ object: inout KeyedEncodingContainer<Name>
  ) throws {
    switch action {
    case .encode(let item): try object.encode(item, name)
    case .nestedKeyed:
      let name = Name(stringValue: "kNested" + name.stringValue.filter(\.isLetter))
      newKeyed.append(object.nestedContainer(keyedBy: Name.self, forKey: name))
    case .nestedUnkeyed:
      let name = Name(stringValue: "uNested" + name.stringValue.filter(\.isLetter))
      newUnkeyed.append(object.nestedUnkeyedContainer(forKey: name))
    case .superEncoder(let script, let isKept):
      let inner = name.stringValue == "" ? object.superEncoder() : object.superEncoder(forKey: name)
      if isKept { supers.append(inner) }
      try Scripted(script: script).encode(to: inner)
    case .lastSuperEncoderEnds: _ = supers.popLast()
    case .again: if isObject { newKeyed.append(encoder.container(keyedBy: Name.self)) }
    case .share(let steps):
      if isObject { try Scripted(script: .keyed(steps)).encode(to: encoder) }
    case .ifPresent(let number): try object.encodeIfPresent(number, forKey: name)
    case .conditional: try object.encodeConditional(Reference(), forKey: name)
    }
  }

  private mutating func run(
    _ action: Script.Action, _ array: inout any UnkeyedEncodingContainer
  ) throws {
    switch action {
    case .encode(let item): try array.encode(item)
    case .nestedKeyed: newKeyed.append(array.nestedContainer(keyedBy: Name.self))
    case .nestedUnkeyed: newUnkeyed.append(array.nestedUnkeyedContainer())
    case .superEncoder(let script, let isKept):
      let inner = array.superEncoder()
      if isKept { supers.append(inner) }
      try Scripted(script: script).encode(to: inner)
    case .lastSuperEncoderEnds: _ = supers.popLast()
    case .again, .share, .ifPresent: try array.encode(array.count)
    case .conditional: try array.encodeConditional(Reference())
    }
  }
}

extension SingleValueEncodingContainer {
  fileprivate mutating func encode(_ item: Script.Item) throws {
    switch item {
    case .null: try encodeNil()
    case .bool(let value): try encode(value)
    case .int(let value): try encode(value)
    case .uint8(let value): try encode(value)
    case .int64(let value): try encode(value)
    case .uint64(let value): try encode(value)
    case .int128(let value): try encode(value)
    case .double(let value): try encode(value)
    case .float(let value): try encode(value)
    case .string(let value): try encode(value)
    case .any(let value): try encode(value)
    case .script(let script): try encode(Scripted(script: script))
    case .path: try encode(codingPath.map(\.stringValue).joined(separator: "/"))
    }
  }
}

extension UnkeyedEncodingContainer {
  fileprivate mutating func encode(_ item: Script.Item) throws {
    switch item {
    case .null: try encodeNil()
    case .bool(let value): try encode(value)
    case .int(let value): try encode(value)
    case .uint8(let value): try encode(value)
    case .int64(let value): try encode(value)
    case .uint64(let value): try encode(value)
    case .int128(let value): try encode(value)
    case .double(let value): try encode(value)
    case .float(let value): try encode(value)
    case .string(let value): try encode(value)
    case .any(let value): try encode(value)
    case .script(let script): try encode(Scripted(script: script))
    case .path: try encode(codingPath.map(\.stringValue).joined(separator: "/") + " \(count)")
    }
  }
}

extension KeyedEncodingContainer {
  fileprivate mutating func encode(_ item: Script.Item, _ key: Key) throws {
    switch item {
    case .null: try encodeNil(forKey: key)
    case .bool(let value): try encode(value, forKey: key)
    case .int(let value): try encode(value, forKey: key)
    case .uint8(let value): try encode(value, forKey: key)
    case .int64(let value): try encode(value, forKey: key)
    case .uint64(let value): try encode(value, forKey: key)
    case .int128(let value): try encode(value, forKey: key)
    case .double(let value): try encode(value, forKey: key)
    case .float(let value): try encode(value, forKey: key)
    case .string(let value): try encode(value, forKey: key)
    case .any(let value): try encode(value, forKey: key)
    case .script(let script): try encode(Scripted(script: script), forKey: key)
    case .path: try encode(codingPath.map(\.stringValue).joined(separator: "/"), forKey: key)
    }
  }
}
