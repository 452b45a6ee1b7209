/// Steps over a list of directives: `name`, `name=token` or `name="quoted \" text"`, with commas between.
struct DirectiveScanner {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  /// The next directive, its name in lower case, or `nil` at the end.
  mutating func next() -> (name: String, value: String?)? {
    skip { $0 == "," || $0.isWhitespace }
    guard !rest.isEmpty else { return nil }
    let name = take { $0 != "," && $0 != "=" && !$0.isWhitespace }.lowercased()
    skip(\.isWhitespace)
    guard rest.first == "=" else { return (name, nil) }
    rest.removeFirst()
    skip(\.isWhitespace)
    let value = rest.first == "\"" ? quoted() : take { $0 != "," && !$0.isWhitespace }
    skip { $0 != "," }
    return (name, value)
  }

  private mutating func quoted() -> String {
    rest.removeFirst()
    var value = ""
    while let character = rest.popFirst(), character != "\"" {
      value.append(character == "\\" ? rest.popFirst() ?? character : character)
    }
    return value
  }

  private mutating func take(_ isPart: (Character) -> Bool) -> String {
    let part = rest.prefix(while: isPart)
    rest = rest[part.endIndex...]
    return String(part)
  }

  private mutating func skip(_ isSkipped: (Character) -> Bool) {
    rest = rest.drop(while: isSkipped)
  }
}
