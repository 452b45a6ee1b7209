@testable import ResourceJSON

/// Any value, by the containers of a decoder.
indirect enum Tree: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([Tree])
  case object([String: Tree])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    switch Self.kind(of: decoder) {
    case .null: self = .null
    case .true, .false: self = .bool(try value.decode(Bool.self))
    case .ascii, .text, .escaped: self = .string(try value.decode(String.self))
    case .integer, .real: self = .number(try value.decode(Double.self))
    case .object: self = .object(try value.decode([String: Tree].self))
    case .array:
      var list = try decoder.unkeyedContainer()
      var elements: [Tree] = []
      while !list.isAtEnd { elements.append(try list.decode(Tree.self)) }
      self = .array(elements)
    }
  }

  /// What is next. Any other decoder has to be asked for one type after the other, and each wrong
  /// one takes an error.
  private static func kind(of decoder: any Decoder) -> IndexWord.Kind {
    if let decoder = decoder as? JSONValueDecoder { return decoder.document[decoder.word].kind }
    guard let value = try? decoder.singleValueContainer(), !value.decodeNil() else { return .null }
    if (try? value.decode(String.self)) != nil { return .text }
    if (try? value.decode(Bool.self)) != nil { return .true }
    if (try? decoder.unkeyedContainer()) != nil { return .array }
    return (try? decoder.container(keyedBy: Name.self)) != nil ? .object : .real
  }
}

/// Any value, by the parts of the document.
struct Parts: Decodable {
  private(set) var tree = Tree.null
  /// Whether each number fits a `Double`.
  private(set) var isFinite = true

  init(from decoder: any Decoder) throws {
    var values: [Tree] = []
    var names: [String] = []
    var open: [(value: Int, name: Int)] = []
    var isFinite = true
    _ = JSONReader.forEachPart(in: decoder) { part in
      switch part {
      case .null: values.append(.null)
      case .bool(let value): values.append(.bool(value))
      case .number(let value):
        values.append(.number(value.double))
        isFinite = isFinite && value.double.isFinite
      case .string(let value): values.append(.string(value))
      case .name(let name): names.append(name)
      case .start: open.append((values.count, names.count))
      case .end(let isObject):
        guard let start = open.popLast() else { return }
        let elements = Array(values[start.value...])
        let members = zip(names[start.name...], elements)
        values.removeSubrange(start.value...)
        values.append(
          isObject ? .object(Dictionary(members) { first, _ in first }) : .array(elements))
        names.removeSubrange(start.name...)
      }
    }
    tree = values.last ?? .null
    self.isFinite = isFinite
  }
}

/// A value that is decoded by itself, wherever it stands.
struct Plain<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(Value.self)
  }
}

/// The name of any member.
struct Name: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// Members of an object, asked for in one order and in the other.
struct Members: Decodable, Equatable {
  private(set) var forwards: [String: Tree] = [:]
  private(set) var backwards: [String: Tree] = [:]

  /// Of the dictionary of the fuzzer: short and long ones, in snake case and what it turns into,
  /// canonically equal ones.
  private static let names = [
    "a", "id", "user_id", "userId", "created_at", "createdAt", "inReplyToScreenName",
    "in_reply_to_screen_name", "profileUseBackgroundImage", "", "\u{E9}", "e\u{301}", "title",
    "_a", "a_", "é_b", "id2", "x0_y1", "x0Y1",
  ].map { Name($0) }

  init(from decoder: any Decoder) throws {
    let forwards = try decoder.container(keyedBy: Name.self)
    for name in Self.names {
      self.forwards[name.stringValue] = try forwards.decodeIfPresent(Tree.self, forKey: name)
    }
    let backwards = try decoder.container(keyedBy: Name.self)
    for name in Self.names.reversed() where backwards.contains(name) {
      if try !backwards.decodeNil(forKey: name) {
        self.backwards[name.stringValue] = try backwards.decode(Tree.self, forKey: name)
      }
    }
  }
}
