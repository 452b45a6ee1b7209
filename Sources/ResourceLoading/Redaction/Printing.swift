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
  public var description: String {
    "\(method) \(url.absoluteString.redactedURL(secretNames: secretNames))".printable
  }

  /// Shows the request in a line, and its headers without secrets.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": description, "headers": headers.redacted(secretNames: secretNames),
      ])
  }
}

extension Headers: CustomStringConvertible, CustomReflectable {
  /// The fields in order, `[Accept: text/html, Cookie: <redacted>]`, without secrets.
  public var description: String {
    let fields = redacted(secretNames: nil).map { "\($0.name): \($0.value)".printable }
    return "[\(fields.joined(separator: ", "))]"
  }

  /// Returns the fields without values that are secret by their names or by additional `names`.
  func redacted(secretNames names: Set<String>?) -> Headers {
    Headers(
      map { field in
        let isSecret = Secrets.isSecret(name: field.name.rawValue, or: names)
        let value =
          isSecret ? Secrets.replacement : SecretText.redact(field.value, names: names)
        return Headers.Field(field.name, value)
      })
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
    let url = url.absoluteString.redactedURL(secretNames: details.secretNames)
    return "\(status), \(body.count) bytes: \(method) \(url)".printable
  }

  /// Shows the response in a line, and its headers without secrets.
  public var customMirror: Mirror {
    let headers = headers.redacted(secretNames: details.secretNames)
    return Mirror(self, children: ["response": description, "headers": headers])
  }
}
