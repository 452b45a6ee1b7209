import Foundation
import ResourcePrimitives

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
