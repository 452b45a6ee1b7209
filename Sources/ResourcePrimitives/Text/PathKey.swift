/// A name, or a 0-based position in a list, as a step of the path to a value.
package struct PathKey: CodingKey, Sendable {
  package let stringValue: String
  package let intValue: Int?

  package init(_ name: String) { (stringValue, intValue) = (name, nil) }

  package init(index: Int) { (stringValue, intValue) = ("\(index)", index) }

  package init?(stringValue: String) { self.init(stringValue) }

  package init?(intValue: Int) { self.init(index: intValue) }

  /// Reads a step of a path, which may be a position if it is a number: `-1` and `+1` are names.
  fileprivate init(step: String) {
    stringValue = step
    intValue = step.hasOnlyDigits ? Int(step) : nil
  }
}

extension [PathKey] {
  /// Reads a path as ``dotted`` writes it, or a JSON Pointer (RFC 6901), which begins with a slash.
  ///
  /// Steps are separated by dots, or are in brackets: `items[0].author`, `items.0.author`. A
  /// backslash precedes a dot, a bracket or a backslash that belongs to a name, and a slash at the
  /// beginning of the path.
  package init(path: String) {
    self = path.hasPrefix("/") ? Self.pointer(path) : Self.steps(path)
  }

  private static func pointer(_ path: String) -> [PathKey] {
    path.parts(between: "/", omittingEmpty: false).dropFirst().map { step in
      PathKey(step: unescaped(step))
    }
  }

  /// Replaces `~1` by a slash and `~0` by a tilde.
  private static func unescaped(_ step: Substring) -> String {
    var text = ""
    var isBehindTilde = false
    for scalar in step.unicodeScalars {
      switch scalar {
      case "0" where isBehindTilde: text.unicodeScalars.append("~")
      case "1" where isBehindTilde: text.unicodeScalars.append("/")
      case _ where isBehindTilde: text.unicodeScalars.append(contentsOf: ["~", scalar])
      case "~": break
      default: text.unicodeScalars.append(scalar)
      }
      isBehindTilde = scalar == "~" && !isBehindTilde
    }
    return isBehindTilde ? text + "~" : text
  }

  private static func steps(_ path: String) -> [PathKey] {
    var steps: [PathKey] = []
    var step = ""
    var isEscaped = false
    func end() {
      if !step.isEmpty { steps.append(PathKey(step: step)) }
      step = ""
    }
    for scalar in path.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        step.unicodeScalars.append(scalar)
        isEscaped = false
      case "\\": isEscaped = true
      case ".", "[", "]": end()
      default: step.unicodeScalars.append(scalar)
      }
    }
    end()
    return steps
  }
}

extension [any CodingKey] {
  /// The path in the usual notation: `items[3].author.name`. A dot, a bracket or a backslash in a
  /// name has a backslash before it.
  ///
  /// A path with an empty name is written as a JSON Pointer (RFC 6901).
  package var dotted: String {
    guard !contains(where: { $0.intValue == nil && $0.stringValue.isEmpty }) else { return pointer }
    let path = reduce("") { text, key in
      if let index = key.intValue { return text + "[\(index)]" }
      let name = key.stringValue.replacing(Self.escapes)
      return text.isEmpty ? name : text + "." + name
    }
    return path.hasPrefix("/") ? "\\" + path : path
  }

  private static var escapes: [Unicode.Scalar: String] {
    [".": "\\.", "[": "\\[", "]": "\\]", "\\": "\\\\"]
  }

  private var pointer: String {
    map { key in
      "/" + (key.intValue.map { "\($0)" } ?? key.stringValue.replacing(["~": "~0", "/": "~1"]))
    }.joined()
  }
}
