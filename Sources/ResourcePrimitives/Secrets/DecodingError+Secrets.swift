extension DecodingError.Context {
  /// The description, or a replacement if it may quote a secret, because a name on the coding path
  /// is that of one.
  package func redactedDescription(besides names: Set<String>? = nil) -> String {
    let isSecret = codingPath.contains { Secrets.isSecret(name: $0.stringValue, or: names) }
    return isSecret ? Secrets.replacement : debugDescription
  }
}
