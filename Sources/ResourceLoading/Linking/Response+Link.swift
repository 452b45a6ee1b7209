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
