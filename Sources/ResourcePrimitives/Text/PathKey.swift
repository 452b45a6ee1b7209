/// A name, or a 0-based position in a list, as a step of the path to a value.
package struct PathKey: CodingKey, Sendable {
  package let stringValue: String
  package fileprivate(set) var intValue: Int?

  package init(_ name: String) { (stringValue, intValue) = (name, nil) }

  package init(index: Int) { (stringValue, intValue) = ("\(index)", index) }

  package init?(stringValue: String) { self.init(stringValue) }

  package init?(intValue: Int) { self.init(index: intValue) }
}

extension [PathKey] {
  /// Reads a path with dots between its steps, each of which may be a position if it is a number.
  package init(path: String) {
    self = path.parts(between: ".").map { step in
      var key = PathKey(String(step))
      // `-1` and `+1` are names.
      key.intValue = step.hasOnlyDigits ? Int(step) : nil
      return key
    }
  }
}

extension [any CodingKey] {
  /// The path in the usual notation: `items[3].author.name`.
  package var dotted: String {
    reduce("") { text, key in
      if let index = key.intValue { return text + "[\(index)]" }
      return text.isEmpty ? key.stringValue : text + "." + key.stringValue
    }
  }
}
