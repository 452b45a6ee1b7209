/// The parts of a URL's text that may hold secrets, found without requiring the text to be a valid URL.
struct URLText {
  private let beforeUserInfo: Substring
  /// What stands between `//` and `@`, as it stands there.
  let userInfo: String?
  private let afterUserInfo: Substring
  private let query: Substring?
  private let fragment: Substring

  init(_ text: String) {
    let hash = text.firstIndex(of: "#") ?? text.endIndex
    let mark = text[..<hash].firstIndex(of: "?")
    let hierarchy = text[..<(mark ?? hash)]
    let authority = hierarchy.firstRange(of: "//")?.upperBound ?? hierarchy.startIndex
    let authorityEnd = hierarchy[authority...].firstIndex(of: "/") ?? hierarchy.endIndex
    let at =
      hierarchy.contains("//") ? hierarchy[authority..<authorityEnd].lastIndex(of: "@") : nil
    beforeUserInfo = hierarchy[..<(at == nil ? hierarchy.startIndex : authority)]
    userInfo = at.map { String(hierarchy[authority..<$0]) }
    afterUserInfo = hierarchy[(at ?? hierarchy.startIndex)...]
    query = mark.map { text[text.index(after: $0)..<hash] }
    fragment = text[hash...]
  }

  /// The names and values of the query's items, as they stand there.
  var queryItems: [(name: String, value: String)] {
    (query ?? "").split(separator: "&").map { item in
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(pair[0]), pair.count > 1 ? String(pair[1]) : "")
    }
  }

  /// The text with user info and the values of secret query items replaced. A fragment with
  /// pairs may hold tokens too (OAuth's implicit grant) and is left out.
  var redacted: String {
    let user = userInfo == nil ? "" : Secrets.replacement
    let items = queryItems.map { name, value in
      value.isEmpty ? name : "\(name)=\(Secrets.isSecret(name: name) ? Secrets.replacement : value)"
    }
    let query = query == nil ? "" : "?" + items.joined(separator: "&")
    let shownFragment = fragment.contains("=") ? "" : fragment
    return beforeUserInfo + user + afterUserInfo + query + shownFragment
  }
}
