/// Reads the value of a `Link` header (RFC 8288 section 3, and its appendix B for what to make of mistakes).
struct LinkScanner {
  private var rest: Substring.UnicodeScalarView

  init(_ value: String) { rest = Substring(value).unicodeScalars }

  func links() -> [Response.Link] {
    var scanner = self
    var links: [Response.Link] = []
    while let link = scanner.link() { links.append(link) }
    return links
  }

  /// Steps over a link with its parameters.
  private mutating func link() -> Response.Link? {
    skip { $0 == " " || $0 == "\t" || $0 == "," }
    guard take("<"), let end = rest.firstIndex(of: ">") else { return nil }
    let target = String(rest[..<end]).trimmingSpaces()
    rest = rest[rest.index(after: end)...]
    var parameters: [Response.Link.Parameter] = []
    while let parameter = parameter() {
      if !parameter.name.isEmpty { parameters.append(parameter) }
    }
    // What stands between the last parameter and the next link is no part of either.
    while let next = rest.first, next != "," {
      if next == "\"" { _ = quoted() } else { rest = rest.dropFirst() }
    }
    let relations = parameters.first { $0.name == "rel" }?.value.lowercased() ?? ""
    return Response.Link(
      target: target, relations: relations.split { $0 == " " || $0 == "\t" }.map(String.init),
      parameters: parameters)
  }

  private mutating func parameter() -> Response.Link.Parameter? {
    skipSpace()
    guard take(";") else { return nil }
    skipSpace()
    let name = text { !" \t=;,".unicodeScalars.contains($0) }
    skipSpace()
    guard take("=") else { return Response.Link.Parameter(name: name.lowercased(), value: "") }
    skipSpace()
    let value = rest.first == "\"" ? quoted() : text { !" \t;,".unicodeScalars.contains($0) }
    return Response.Link.Parameter(name: name.lowercased(), value: value)
  }

  /// Steps over a quoted text and returns what is in it; it may lack its end.
  private mutating func quoted() -> String {
    var text = String.UnicodeScalarView()
    rest = rest.dropFirst()
    while let scalar = rest.popFirst(), scalar != "\"" {
      if scalar == "\\", let escaped = rest.popFirst() {
        text.append(escaped)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }
}

extension LinkScanner {
  private mutating func skipSpace() { skip { $0 == " " || $0 == "\t" } }

  private mutating func skip(_ isSkipped: (Unicode.Scalar) -> Bool) {
    rest = rest.drop(while: isSkipped)
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func text(_ isTaken: (Unicode.Scalar) -> Bool) -> String {
    let taken = rest.prefix(while: isTaken)
    rest = rest[taken.endIndex...]
    return String(taken)
  }
}
