public import Foundation

extension Response {
  /// A link to a related resource from a `Link` header (RFC 8288).
  public struct Link: Sendable, Hashable {
    /// The target as it was sent: a URL, or a reference relative to the response's URL.
    public var target: String

    /// The relations of the target to this resource, such as `next`, in lower case.
    public var relations: [String]

    /// The parameters in order, `rel` included, with names in lower case and unquoted values, which may be empty.
    public var parameters: [Parameter]

    /// A parameter of a link.
    public struct Parameter: Sendable, Hashable {
      /// The name in lower case; one that ends in `*` has a value encoded by RFC 8187.
      public var name: String
      /// The value, unquoted.
      public var value: String
    }

    /// Returns the value of the first parameter with a name, or `nil` if there is none.
    public subscript(name: String) -> String? {
      parameters.first { $0.name == name.lowercased() }?.value
    }
  }

  /// The links of all `Link` headers, in order. Links that can't be parsed are left out.
  public var links: [Link] {
    headers.values(of: .link).flatMap { LinkScanner($0).links() }
  }

  /// Returns the target of the first link with a relation.
  ///
  /// - Parameter relation: The relation, such as `next`, in any case.
  /// - Returns: The absolute URL; `nil` if there is no such link, if it belongs to another resource (it has an `anchor`),
  ///   or if its target is no URL.
  public func link(_ relation: String) -> URL? {
    let link = links.first { link in
      link.relations.contains(relation.lowercased())
        && link["anchor"].map { URL(reference: $0, from: url) == url } ?? true
    }
    return link.flatMap { URL(reference: $0.target, from: url) }
  }
}

/// Parses the value of a `Link` header (RFC 8288 section 3; appendix B for mistakes).
struct LinkScanner {
  private var rest: Substring.UnicodeScalarView

  init(_ value: String) { rest = Substring(value).unicodeScalars }

  func links() -> [Response.Link] {
    var scanner = self
    var links: [Response.Link] = []
    while let link = scanner.link() { links.append(link) }
    return links
  }

  /// Reads a link with its parameters.
  private mutating func link() -> Response.Link? {
    skip { $0 == " " || $0 == "\t" || $0 == "," }
    guard take("<"), let end = rest.firstIndex(of: ">") else { return nil }
    let target = String(rest[..<end]).trimmingSpaces()
    rest = rest[rest.index(after: end)...]
    var parameters: [Response.Link.Parameter] = []
    while let parameter = parameter() {
      if !parameter.name.isEmpty { parameters.append(parameter) }
    }
    // Text between the last parameter and the next link belongs to neither.
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

  /// Reads a quoted text, which may lack its end, and returns its content.
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
