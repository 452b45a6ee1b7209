import Foundation

/// The way from one page to the next.
///
/// ```swift
/// let byLink = Pagination<[User]>.link
/// let byCursor = Pagination<Feed>.cursor("after", \.nextCursor)
/// let byNumber = Pagination<[User]>.page("page")
/// ```
public struct Pagination<R: Sendable>: Sendable {
  /// Returns the request of the first page for the one that the caller passed.
  let first: @Sendable (Request) -> Request
  /// Returns the request of the page after another, or `nil` after the last one.
  let next: @Sendable (Page<R>) throws -> Request?

  /// Requests what a function determines.
  ///
  /// - Parameter next: Returns the request of the page after another, or `nil` after the last one.
  ///   An error that it throws ends the pages.
  public static func following(
    _ next: @escaping @Sendable (Page<R>) throws -> Request?
  ) -> Pagination {
    Pagination(first: { $0 }, next: next)
  }
}

extension Pagination {
  /// The same way from a page in the middle on, whose request is complete.
  package var fromAnyPage: Pagination { Pagination(first: { $0 }, next: next) }

  /// Follows the `Link` header with the relation `next` (RFC 8288).
  public static var link: Pagination { .link("next") }

  /// Follows the `Link` header with a relation (RFC 8288). The page without one is the last.
  ///
  /// - Parameter relation: The relation, such as `prev`; its case doesn't matter.
  public static func link(_ relation: String) -> Pagination {
    .following { page in page.response?.link(relation).map(page.request.redirected) }
  }

  /// Sends the cursor in a page as a query item of the next one. The page without one is the last.
  ///
  /// - Parameters:
  ///   - name: The name of the query item.
  ///   - cursor: Finds the cursor of the next page: a key path or a function.
  public static func cursor(
    _ name: String, _ cursor: @escaping @Sendable (R) throws -> String?
  ) -> Pagination {
    .cursor(cursor) { request, cursor in request.setQueryItem(name, cursor) }
  }

  /// Uses the cursor in a page for the request of the next one, which a function changes. The page
  /// without one is the last.
  ///
  /// - Parameters:
  ///   - cursor: Finds the cursor of the next page: a key path or a function.
  ///   - change: Changes the request of a page into that of the next.
  public static func cursor<Cursor>(
    _ cursor: @escaping @Sendable (R) throws -> Cursor?,
    _ change: @escaping @Sendable (inout Request, Cursor) -> Void
  ) -> Pagination {
    .following { page in
      guard let cursor = try cursor(page.value) else { return nil }
      return page.request.changed { change(&$0, cursor) }
    }
  }

  /// Sends the number of the page as a query item.
  ///
  /// - Parameters:
  ///   - name: The name of the query item. If the request has it, its number is the first.
  ///   - first: The number of the first page.
  ///   - hasMore: Whether there is a page after this one.
  public static func page(
    _ name: String, from first: Int = 1, while hasMore: @escaping @Sendable (R) throws -> Bool
  ) -> Pagination {
    .counting(name, from: first) { page in try hasMore(page) ? 1 : 0 }
  }

  /// Sends the number of elements before the page as a query item.
  ///
  /// - Parameters:
  ///   - name: The name of the query item. If the request has it, its number is the first.
  ///   - first: The offset of the first page.
  ///   - count: Returns the number of elements of a page; the page without any is the last.
  public static func offset(
    _ name: String, from first: Int = 0, count: @escaping @Sendable (R) throws -> Int
  ) -> Pagination {
    .counting(name, from: first, by: count)
  }

  /// Counts in a query item until the number no longer grows.
  private static func counting(
    _ name: String, from first: Int, by step: @escaping @Sendable (R) throws -> Int
  ) -> Pagination {
    Pagination { request in
      request.changed { $0.setQueryItem(name, $0.queryNumber(name) ?? first) }
    } next: { page in
      let step = try step(page.value)
      guard step > 0 else { return nil }
      let number = (page.request.queryNumber(name) ?? first).addingReportingOverflow(step)
      return number.overflow
        ? nil : page.request.changed { $0.setQueryItem(name, number.partialValue) }
    }
  }
}

extension Pagination where R: Collection {
  /// Sends the number of the page as a query item; the first empty page is the last.
  ///
  /// - Parameters:
  ///   - name: The name of the query item. If the request has it, its number is the first.
  ///   - first: The number of the first page.
  public static func page(_ name: String, from first: Int = 1) -> Pagination {
    .page(name, from: first) { !$0.isEmpty }
  }

  /// Sends the number of elements before the page as a query item; the first empty page is the
  /// last.
  ///
  /// - Parameters:
  ///   - name: The name of the query item. If the request has it, its number is the first.
  ///   - first: The offset of the first page.
  public static func offset(_ name: String, from first: Int = 0) -> Pagination {
    .offset(name, from: first) { $0.count }
  }
}

extension Request {
  /// Returns this request with another URL, which has its own query. User info stays within the
  /// origin.
  func redirected(to url: URL) -> Request {
    changed { request in
      let own = if case .url(let own) = address { own } else { url }
      request.address = .url(url.completed(byUserInfoOf: own))
      request.query = [:]
    }
  }

  /// Returns the number in a query item, which may be in the URL or in the parameters.
  func queryNumber(_ name: String) -> Int? {
    let inURL = QueryItems(encoded: urlQuery ?? "")
    return (query[name] ?? inURL[name]).flatMap { Int($0) }
  }

  /// Sets a query item, also where the URL itself contains it.
  mutating func setQueryItem(_ name: String, _ value: some CustomStringConvertible) {
    if case .url(let url) = address, let urlQuery, QueryItems(encoded: urlQuery)[name] != nil {
      var own = QueryItems(encoded: urlQuery)
      own.append(query)
      query = own
      address = .url(
        URL(string: url.absoluteString.replacing("?" + urlQuery, with: "", maxReplacements: 1))
          ?? url)
    }
    query[name] = value.description
  }

  /// The query in the address itself, without decoding.
  private var urlQuery: String? {
    guard case .url(let url) = address else { return nil }
    let text = url.absoluteString.prefix { $0 != "#" }
    return text.firstIndex(of: "?").map { String(text[text.index(after: $0)...]) }
  }
}
