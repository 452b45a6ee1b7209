import Foundation

// What values that hold secrets show to `print`, `dump`, debuggers and failed tests. Where a type
// has no description of its own for debugging, the standard library takes the plain one.

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The request in a line, `GET https://example.org/?token=<redacted>`, without secrets.
  public var description: String {
    "\(method) \(SecretText.redact(url.absoluteString, names: options.secretNames))".printable
  }

  /// The request as ``curlCommand`` has it, without secrets.
  public var debugDescription: String { curlCommand }

  /// Shows the request as ``curlCommand`` has it.
  public var customMirror: Mirror { Mirror(self, children: ["curl": curlCommand]) }
}

extension WireRequest: CustomStringConvertible, CustomReflectable {
  /// The request in a line, without secrets.
  public var description: String { draft.description }

  /// Shows the request in a line, and its headers without secrets.
  public var customMirror: Mirror { draft.customMirror }
}

extension WireRequest.Draft: CustomStringConvertible, CustomReflectable {
  /// The request in a line, without secrets.
  public var description: String { "\(method) \(url.absoluteString.redactedURL)".printable }

  /// Shows the request in a line, and its headers without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["request": description, "headers": headers])
  }
}

extension Headers: CustomStringConvertible, CustomReflectable {
  /// The fields in order, `[Accept: text/html, Cookie: <redacted>]`, without secrets.
  public var description: String {
    let fields = map { field in
      let isSecret = Secrets.isSecret(name: field.name.rawValue)
      let value = isSecret ? Secrets.replacement : SecretText.redact(field.value)
      return "\(field.name): \(value)".printable
    }
    return "[\(fields.joined(separator: ", "))]"
  }

  /// Shows the fields without secrets.
  public var customMirror: Mirror { Mirror(self, children: ["fields": description]) }
}

extension Headers.Field: CustomStringConvertible, CustomReflectable {
  /// The field in a line, without its value if that is a secret.
  public var description: String { "\(Headers([self]))" }

  /// Shows the field without its value if that is a secret.
  public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

extension Response: CustomStringConvertible, CustomReflectable {
  /// The response in a line, `200 OK, 12 bytes: GET https://example.org/`, without secrets.
  public var description: String {
    "\(status), \(body.count) bytes: \(method) \(url.absoluteString.redactedURL)".printable
  }

  /// Shows the response in a line, and its headers without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["response": description, "headers": headers])
  }
}

extension StringProtocol {
  /// The text on one line that shows what is in it: what would steer a terminal, break a line of a
  /// log or turn the order of letters about is written as an escape, such as `\u{1B}`.
  ///
  /// All that comes from outside and is shown to people goes through this.
  package var printable: String {
    // Most texts are plain ASCII.
    if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(self) }
    return unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isUnprintable:
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character (C0, C1), a separator of lines, a mark of direction, or an
  /// invisible letter of the block of tags.
  package var isUnprintable: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
      0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }
}
