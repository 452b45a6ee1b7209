package import ResourceLoading

/// Which stored response is meant by which request (RFC 9111 section 4.1).
extension Headers {
  /// The names of request fields in `Vary`.
  var varyingNames: [Name] {
    values(of: .vary).flatMap { $0.split(separator: ",") }.map { Name(rawValue: $0.trimmed) }
  }

  /// Whether `Vary` says `*`: no other request is like the one that was answered.
  var variesByEverything: Bool { varyingNames.contains("*") }

  /// The values of a field in a form that is the same for what means the same: in one line, with one
  /// comma and no spaces between the values.
  func comparable(_ name: Name) -> String? {
    let values = values(of: name).flatMap { $0.split(separator: ",") }.map(\.trimmed)
    return self[name] == nil ? nil : values.joined(separator: ",")
  }
}

extension StoredResponse {
  /// Whether it may answer a request, as far as `Vary` has a say.
  package func isSelected(by request: Request) -> Bool {
    let names = facts.varyingNames
    return !names.contains("*")
      && names.allSatisfy { selectingHeaders[$0] == request.headers.comparable($0) }
  }
}
