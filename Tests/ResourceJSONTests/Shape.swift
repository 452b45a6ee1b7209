import Foundation

/// What a type does to decode itself, as a value: so that shapes of types can be made at random.
indirect enum Shape: Sendable {
  /// Values of types that exist.
  case type(Int)
  /// A keyed container, and what is asked of it.
  case keyed([(name: String, request: Request, shape: Shape)])
  /// An unkeyed container, and what is asked of it until it is at its end or something fails.
  case unkeyed([(request: Request, shape: Shape)])
  /// One shape, or another if that fails.
  case either(Shape, Shape)
  /// All keys, sorted.
  case allKeys

  enum Request: CaseIterable {
    case decode, ifPresent, nested, superDecoder, contains, null
  }

  @TaskLocal static var current = Shape.allKeys

  /// The types of `.type`, with how each is decoded and shown.
  static let types: [any (Decodable & SendableMetatype).Type] = [
    Int.self, Int8.self, Int64.self, UInt.self, UInt16.self, UInt64.self, Double.self, Float.self,
    Bool.self, String.self, Date.self, URL.self, Data.self, Decimal.self, UUID.self,
    [Int].self, [String].self, [Double].self, [[Double]].self, [Bool].self, [Date].self,
    [String: Int].self, [Int: String].self, [String: [String: Double]].self, Int?.self,
    [String?].self, [Int??].self, Suit.self, Payload.self, Derived.self, [Payload].self,
    [URL: Int].self, Set<Int>.self, Range<Int>.self, Wrapper.self,
  ]
}

extension Shape {
  /// Whether a dictionary is decoded: Foundation tells the first error in the order of a dictionary
  /// of its own, which is any.
  var hasDictionary: Bool {
    switch self {
    case .type(let number): return "\(Shape.types[number])".hasPrefix("Dictionary")
    case .keyed(let members): return members.contains { $0.shape.hasDictionary }
    case .unkeyed(let elements): return elements.contains { $0.shape.hasDictionary }
    case .either(let first, let second): return first.hasDictionary || second.hasDictionary
    case .allKeys: return false
    }
  }
}

/// Decodes itself as the current shape says, into a text.
struct Probe: Decodable {
  let text: String

  init(from decoder: any Decoder) throws {
    text = try Probe.read(Shape.current, decoder)
  }
}

extension Probe {
  private static func read(_ shape: Shape, _ decoder: any Decoder) throws -> String {
    switch shape {
    case .type(let number): return try show(Shape.types[number], decoder.singleValueContainer())
    case .allKeys:
      let object = try decoder.container(keyedBy: Name.self)
      return "\(object.allKeys.map(\.stringValue).sorted())"
    case .either(let first, let second):
      do { return try read(first, decoder) } catch { return try read(second, decoder) }
    case .keyed(let members):
      let object = try decoder.container(keyedBy: Name.self)
      var text = "\(decoder.codingPath.map(\.stringValue)){"
      for (name, request, shape) in members {
        text += try name + ":" + read(shape, request, object, Name(stringValue: name)) + ","
      }
      return text + "}"
    case .unkeyed(let elements):
      var array = try decoder.unkeyedContainer()
      var text = "\(array.codingPath.map(\.stringValue))\(array.count ?? -1)["
      for (request, shape) in elements where !array.isAtEnd || request != .contains {
        text += try "\(array.currentIndex):" + read(shape, request, &array) + ","
      }
      return text + "]"
    }
  }

  private static func read(
    _ shape: Shape, _ request: Shape.Request, _ object: KeyedDecodingContainer<Name>, _ name: Name
  ) throws -> String {
    switch request {
    case .contains: return "\(object.contains(name))"
    case .null: return "\(try object.decodeNil(forKey: name))"
    case .superDecoder:
      return try read(
        shape,
        name.stringValue == "super" ? object.superDecoder() : object.superDecoder(forKey: name))
    case .nested:
      if case .unkeyed = shape {
        var array = try object.nestedUnkeyedContainer(forKey: name)
        return try "\(array.codingPath.map(\.stringValue))" + show(Int.self, &array)
      }
      let nested = try object.nestedContainer(keyedBy: Name.self, forKey: name)
      return "\(nested.codingPath.map(\.stringValue))\(nested.allKeys.map(\.stringValue).sorted())"
    case .decode, .ifPresent:
      if case .type(let number) = shape {
        return try show(Shape.types[number], request, object, name)
      }
      return try Shape.$current.withValue(shape) {
        request == .decode
          ? try object.decode(Probe.self, forKey: name).text
          : try object.decodeIfPresent(Probe.self, forKey: name)?.text ?? "nil"
      }
    }
  }

  private static func read(
    _ shape: Shape, _ request: Shape.Request, _ array: inout any UnkeyedDecodingContainer
  ) throws -> String {
    switch request {
    case .contains: return "\(array.isAtEnd)"
    case .null: return "\(try array.decodeNil())"
    case .superDecoder: return try read(shape, array.superDecoder())
    case .nested:
      if case .unkeyed = shape {
        var inner = try array.nestedUnkeyedContainer()
        return try show(String.self, &inner)
      }
      return "\(try array.nestedContainer(keyedBy: Name.self).allKeys.map(\.stringValue).sorted())"
    case .decode, .ifPresent:
      if case .type(let number) = shape, request == .decode {
        return try show(Shape.types[number], &array)
      }
      return try Shape.$current.withValue(shape) {
        request == .decode
          ? try array.decode(Probe.self).text
          : try array.decodeIfPresent(Probe.self)?.text ?? "nil"
      }
    }
  }
}

extension Probe {
  private static func show<Value: Decodable>(
    _ type: Value.Type, _ container: any SingleValueDecodingContainer
  ) throws -> String {
    switch type {
    case is Int.Type: describe(try container.decode(Int.self))
    case is Double.Type: describe(try container.decode(Double.self))
    case is String.Type: describe(try container.decode(String.self))
    case is UInt64.Type: describe(try container.decode(UInt64.self))
    default: describe(try container.decode(type))
    }
  }

  private static func show<Value: Decodable>(
    _ type: Value.Type, _ array: inout any UnkeyedDecodingContainer
  ) throws -> String {
    switch type {
    case is Int.Type: describe(try array.decode(Int.self))
    case is Bool.Type: describe(try array.decode(Bool.self))
    case is Float.Type: describe(try array.decodeIfPresent(Float.self) as Any)
    case is String.Type: describe(try array.decodeIfPresent(String.self) as Any)
    default: describe(try array.decode(type))
    }
  }

  private static func show<Value: Decodable>(
    _ type: Value.Type, _ request: Shape.Request, _ object: KeyedDecodingContainer<Name>,
    _ name: Name
  ) throws -> String {
    switch (type, request) {
    case (is Int.Type, .decode): describe(try object.decode(Int.self, forKey: name))
    case (is Int.Type, _): describe(try object.decodeIfPresent(Int.self, forKey: name) as Any)
    case (is Int8.Type, .decode): describe(try object.decode(Int8.self, forKey: name))
    case (is UInt.Type, _): describe(try object.decodeIfPresent(UInt.self, forKey: name) as Any)
    case (is Double.Type, .decode): describe(try object.decode(Double.self, forKey: name))
    case (is Float.Type, .decode): describe(try object.decode(Float.self, forKey: name))
    case (is Bool.Type, _): describe(try object.decodeIfPresent(Bool.self, forKey: name) as Any)
    case (is String.Type, .decode): describe(try object.decode(String.self, forKey: name))
    case (_, .decode): describe(try object.decode(type, forKey: name))
    default: describe(try object.decodeIfPresent(type, forKey: name) as Any)
    }
  }

  /// A text that is the same for the same values.
  private static func describe(_ value: Any) -> String {
    switch value {
    case let value as Double: "\(value.bitPattern)"
    case let value as Float: "\(value.bitPattern)"
    case let value as Date: "\(value.timeIntervalSinceReferenceDate)"
    // Printing a date that is far away crashes Foundation.
    case let value as Wrapper:
      "\(value.itemCount as Any) \(value.createdAt?.timeIntervalSinceReferenceDate as Any) "
        + "\(value.nestedItem as Any) \(value.list as Any)"
    case let value as [Date]: "\(value.map(\.timeIntervalSinceReferenceDate))"
    case let value as Data: value.base64EncodedString()
    case let value as [String: Int]: "\(value.sorted { $0.key < $1.key })"
    case let value as [Int: String]: "\(value.sorted { $0.key < $1.key })"
    case let value as [URL: Int]: "\(value.map { "\($0)" }.sorted())"
    case let value as Set<Int>: "\(value.sorted())"
    case let value as [String: [String: Double]]:
      "\(value.sorted { $0.key < $1.key }.map { ($0, $1.sorted { $0.key < $1.key }) })"
    default: "\(value)"
    }
  }
}

enum Suit: String, Decodable { case clubs, hearts }

enum Payload: Decodable {
  case one(count: Int, name: String?)
  case two(Double)
  case three
}

class Base: Decodable {
  var id: Int
}

final class Derived: Base, CustomStringConvertible {
  var name: String

  enum CodingKeys: CodingKey { case name }

  required init(from decoder: any Decoder) throws {
    name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    try super.init(from: decoder.container(keyedBy: CodingKeys.self).superDecoder())
  }

  var description: String { "\(id) \(name)" }
}

struct Wrapper: Decodable {
  var itemCount: Int?
  var createdAt: Date?
  var nestedItem: Inner?
  var list: [Inner]?

  struct Inner: Decodable {
    var userID: Int?
    var x2nd: String?
    var a: Double?
  }
}
