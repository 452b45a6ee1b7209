extension JSONContainer {
  /// Decodes a value of any type.
  func decode<Value: Decodable>(_ type: Value.Type, _ word: Int) throws -> Value {
    let kind = document[word].kind
    switch document.form(of: type) {
    case .itself: break
    case .date: return try cast(date(word))
    case .url: return try cast(url(word))
    case .data: return try cast(data(word))
    case .decimal: return try cast(decimal(word))
    case .string: if let string = string(word) { return try cast(string) }
    case .integer: if let integer: Int = integer(word) { return try cast(integer) }
    case .double: if let double = double(word) { return try cast(double) }
    case .strings: if let strings = strings(word, kind) { return try cast(strings) }
    case .integers: if let integers = integers(word, kind) { return try cast(integers) }
    case .doubles: if let doubles = doubles(word, kind) { return try cast(doubles) }
    case .points: if let points = points(word, kind) { return try cast(points) }
    case .list(let type) where kind == .array:
      let array = JSONContainer(arrayAt: JSONValueDecoder(self, at: word))
      return try cast(type.init(in: array))
    case .dictionary(let type) where kind == .object:
      let object = JSONContainer(dictionaryAt: JSONValueDecoder(self, at: word))
      return try cast(type.init(in: object))
    case .list, .dictionary: break
    }
    return try decodeItself(type, word)
  }

  /// Decodes a value by the type's own initialiser.
  @inline(__always)
  fileprivate func decodeItself<Value: Decodable>(_ type: Value.Type, _ word: Int) throws -> Value {
    try type.init(from: JSONValueDecoder(self, at: word))
  }

  /// Returns the value as the type that has its form.
  @inline(never)
  private func cast<Source, Value>(_ value: consuming Source) throws -> Value {
    switch value {
    case let value as Value: return value
    default:
      throw DecodingError.typeMismatch(
        Value.self,
        DecodingError.Context(
          codingPath: [], debugDescription: "\(Value.self) isn't a \(Source.self)"))
    }
  }

  @inline(never)
  private func strings(_ word: Int, _ kind: IndexWord.Kind) -> [String]? {
    kind == .array ? elements(word) { string($0) } : nil
  }

  @inline(never)
  private func integers(_ word: Int, _ kind: IndexWord.Kind) -> [Int]? {
    kind == .array ? elements(word) { integer($0) as Int? } : nil
  }

  @inline(never)
  private func doubles(_ word: Int, _ kind: IndexWord.Kind) -> [Double]? {
    kind == .array ? elements(word) { double($0) } : nil
  }

  /// Returns lists of numbers, such as the points of a line.
  @inline(never)
  private func points(_ word: Int, _ kind: IndexWord.Kind) -> [[Double]]? {
    kind == .array ? elements(word) { doubles($0, document[$0].kind) } : nil
  }

  /// Returns the elements of an array of simple values; `nil` if one of them has another type.
  @inline(__always)
  private func elements<Element>(_ array: Int, _ read: (Int) -> Element?) -> [Element]? {
    var elements: [Element] = []
    elements.reserveCapacity(document.count(of: array))
    let end = document.end(of: array)
    var word = array + 2
    while word < end {
      guard let element = read(word) else { return nil }
      elements.append(element)
      word = document.next(word)
    }
    return elements
  }
}

/// An array, whose elements are decoded without a container for each.
protocol ElementList {
  init(in array: JSONContainer) throws
}

extension Array: ElementList where Element: Decodable {
  init(in array: JSONContainer) throws {
    let document = array.document
    let count = document.count(of: array.word)
    self.init()
    // The values may be much larger than their texts.
    reserveCapacity(Swift.min(count, 1 << 16))
    var word = array.word + 2
    if case .itself = document.form(of: Element.self) {
      for position in 0..<count {
        array.note(word, position: position)
        append(try array.decodeItself(Element.self, word))
        word = document.next(word)
      }
    } else {
      for position in 0..<count {
        array.note(word, position: position)
        append(try array.decode(Element.self, word))
        word = document.next(word)
      }
    }
  }
}

/// A dictionary with strings for keys: its keys are the names as they stand in the text, whatever
/// the key strategy.
protocol StringKeyed {
  init(in object: JSONContainer) throws
}

extension Dictionary: StringKeyed where Key == String, Value: Decodable {
  init(in object: JSONContainer) throws {
    let document = object.document
    let end = document.end(of: object.word)
    self.init(minimumCapacity: Swift.min(document.count(of: object.word), 1 << 16))
    var word = object.word + 2
    while word < end {
      let name = document.string(document[word])
      // Of two members with one name the first counts, and the other may have any type.
      do {
        let value = try object.decode(Value.self, word + 1)
        if let first = updateValue(value, forKey: name) { updateValue(first, forKey: name) }
      } catch {
        guard index(forKey: name) != nil else { throw error }
      }
      word = document.next(word + 1)
    }
  }
}
