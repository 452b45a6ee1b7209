public import Foundation

extension Response {
  /// A link to a related resource, as a `Link` header gives it (RFC 8288).
  public struct Link: Sendable, Hashable {
    /// Where it leads, as it was sent: a URL or a reference relative to the response's URL.
    public var target: String

    /// What the target is to this resource, such as `next`, in lower case; a link may have several.
    public var relations: [String]

    /// The parameters in order, `rel` included, names in lower case, values unquoted; without a value an
    /// empty one.
    public var parameters: [Parameter]

    /// A parameter of a link.
    public struct Parameter: Sendable, Hashable {
      /// The name in lower case; one that ends in `*` has a value encoded by RFC 8187.
      public var name: String
      /// The value, unquoted.
      public var value: String
    }

    /// The value of the first parameter with a name, or `nil` where there is none.
    public subscript(name: String) -> String? {
      parameters.first { $0.name == name.lowercased() }?.value
    }
  }

  /// The links of all `Link` headers, in order. What can't be read is left out.
  public var links: [Link] {
    headers.values(of: .link).flatMap { LinkScanner($0).links() }
  }

  /// Where the first link with a relation leads.
  ///
  /// - Parameter relation: The relation, such as `next`; its case doesn't matter.
  /// - Returns: The absolute URL; `nil` if there is no such link, or if it is one from another resource (it
  ///   has an `anchor`) or to what is no URL.
  public func link(_ relation: String) -> URL? {
    let link = links.first { link in
      link.relations.contains(relation.lowercased())
        && link["anchor"].map { URL(reference: $0, from: url) == url } ?? true
    }
    return link.flatMap { URL(reference: $0.target, from: url) }
  }
}

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
