public import Foundation
import ResourcePrimitives

extension Response {
  /// A link to a related resource from a `Link` header (RFC 8288).
  public struct Link: Sendable, Hashable {
    /// The target as it was sent: a URL, or a reference relative to the response's URL.
    public var target: String

    /// The relations of the target to this resource, such as `next`, in lower case.
    public var relations: [String]

    /// The parameters in order, `rel` included, with names in lower case and unquoted values, which
    /// may be empty.
    public var parameters: [Parameter]

    /// A parameter of a link.
    public struct Parameter: Sendable, Hashable {
      /// The name in lower case; one that ends in `*` has a value encoded by RFC 8187.
      public var name: String
      /// The value, unquoted.
      public var value: String
    }

    /// Returns the value of the first parameter with a name, or `nil` if there is none.
    ///
    /// For `title` that is the decoded value of `title*`, if the link has one that can be decoded
    /// (RFC 8288 section 3.4.1).
    public subscript(name: String) -> String? {
      let name = name.lowercased()
      return value(of: name + "*")?.decodedExtendedValue ?? value(of: name)
    }

    private func value(of name: String) -> String? { parameters.first { $0.name == name }?.value }
  }

  /// The links of all `Link` headers, in order. Links that can't be parsed are left out.
  public var links: [Link] {
    headers.values(of: .link).flatMap { sequence(state: FieldScanner($0)) { $0.nextLink() } }
  }

  /// Returns the target of the first link with a relation.
  ///
  /// - Parameter relation: The relation, such as `next`, in any case.
  /// - Returns: The absolute URL; `nil` if there is no such link, if it belongs to another resource
  ///   (it has an `anchor`), or if its target isn't a URL.
  public func link(_ relation: String) -> URL? {
    let link = links.first { link in
      link.relations.contains(relation.lowercased())
        && link["anchor"].map { URL(reference: $0, from: url) == url } ?? true
    }
    return link.flatMap { URL(reference: $0.target, from: url) }
  }
}

extension FieldScanner {
  /// Steps over a link, and over anything else before it.
  fileprivate mutating func nextLink() -> Response.Link? {
    while true {
      skipSpace(and: ",")
      guard !isAtEnd else { return nil }
      if let link = link() { return link }
    }
  }

  /// Steps over a link with its parameters (RFC 8288 section 3; appendix B for mistakes). If there
  /// is none, returns `nil` and steps to where another link may begin.
  private mutating func link() -> Response.Link? {
    guard skip("<") else {
      skipText(before: ",")
      return nil
    }
    // Neither can occur in a URL: the first of two is the beginning of a link without its end.
    let target = text(before: "<>").trimmingSpaces()
    guard skip(">") else { return nil }
    var parameters: [Response.Link.Parameter] = []
    while let (name, value) = parameter() {
      if !name.isEmpty { parameters.append(Response.Link.Parameter(name: name, value: value)) }
    }
    // Text between the last parameter and the next link belongs to neither.
    skipText(before: ",")
    let relations = parameters.first { $0.name == "rel" }?.value.lowercased() ?? ""
    return Response.Link(
      target: target,
      relations: relations.unicodeScalars.split { $0 == " " || $0 == "\t" }.map { String($0) },
      parameters: parameters)
  }
}

extension String {
  /// The text of an extended value in UTF-8, such as `UTF-8'de'n%C3%A4chste` (RFC 8187); `nil` if
  /// it isn't one.
  fileprivate var decodedExtendedValue: String? {
    let parts = parts(between: "'", maxSplits: 2, omittingEmpty: false)
    guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    return parts[2].percentDecoded
  }
}
