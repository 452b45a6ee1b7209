import Foundation

extension Request {
  /// This request to another URL, which has its own query.
  func redirected(to url: URL) -> Request {
    changed { request in
      request.address = .url(url)
      request.query = [:]
    }
  }

  /// The number in a query item, wherever the item is.
  func queryNumber(_ name: String) -> Int? {
    let inURL = Query(encoded: urlQuery ?? "")
    return (query[name] ?? inURL[name]).flatMap { Int($0) }
  }

  /// Sets a query item; one that stands in the URL itself is replaced.
  mutating func setQueryItem(_ name: String, _ value: some CustomStringConvertible) {
    if case .url(let url) = address, let urlQuery, Query(encoded: urlQuery)[name] != nil {
      var own = Query(encoded: urlQuery)
      own.append(query)
      query = own
      address = .url(
        URL(string: url.absoluteString.replacing("?" + urlQuery, with: "", maxReplacements: 1))
          ?? url)
    }
    query[name] = value.description
  }

  /// The query in the address itself, as it stands there.
  private var urlQuery: String? {
    guard case .url(let url) = address else { return nil }
    let text = url.absoluteString.prefix { $0 != "#" }
    return text.firstIndex(of: "?").map { String(text[text.index(after: $0)...]) }
  }
}
