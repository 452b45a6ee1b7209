/// Finds secrets by their names in bodies: in members of JSON, in the values of forms and in elements of XML.
enum SecretMembers {
  /// A text, which may be the beginning of a longer one, with the values of secret names replaced.
  static func redact(_ text: String) -> String {
    var text = withoutStructures(text)
    // "name": "value", or a number; the text may end inside the value.
    text.replace(#/"((?:[^"\\]|\\.)*)"(\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[-\w.+]+)/#) { match in
      Secrets.isSecret(name: String(match.1))
        ? "\"\(match.1)\"\(match.2)\"\(Secrets.replacement)\"" : String(match.0)
    }
    text.replace(#/<([\w:.\-]+)([^<>]*)>([^<]+)/#) { match in
      Secrets.isSecret(name: String(match.1))
        ? "<\(match.1)\(match.2)>\(Secrets.replacement)" : String(match.0)
    }
    text.replace(#/([^\s&=?<>"]+)=([^\s&<>"]+)/#) { match in
      Secrets.isSecret(name: String(match.1))
        ? "\(match.1)=\(Secrets.replacement)" : String(match.0)
    }
    return text
  }

  /// What stands before the first object or list under a secret name.
  private static func withoutStructures(_ text: String) -> String {
    let structures = text.matches(of: #/"((?:[^"\\]|\\.)*)"\s*:\s*(?=[\[{])/#)
    guard let first = structures.first(where: { Secrets.isSecret(name: String($0.1)) }) else {
      return text
    }
    return text[..<first.range.upperBound] + Secrets.replacement
  }
}
