import Foundation
import ResourcePrimitives

// What the parts of requests and responses show to `dump` and debuggers: no secrets.

extension QueryItems: CustomReflectable {
  /// Shows the query without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["query": "\(SecretText.redact(encoded))".printable])
  }
}

extension QueryItems.Item: CustomReflectable {
  /// Shows the item, without its value if that is a secret.
  public var customMirror: Mirror { QueryItems([self]).customMirror }
}

extension Request.Body: CustomReflectable {
  /// Shows the media type. The content may hold secrets; ``Request/curlCommand`` shows it without
  /// them.
  public var customMirror: Mirror { Mirror(self, children: ["contentType": contentType.rawValue]) }
}

extension Multipart.Part: CustomReflectable {
  /// Shows the name and the headers of the part, without secrets.
  public var customMirror: Mirror { Mirror(self, children: ["name": name, "headers": headers]) }
}

extension WireRequest.Hop: CustomReflectable {
  /// Shows the position, and the URL of the first request without secrets.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "redirects": redirects, "origin": origin.absoluteString.redactedURL.printable,
      ])
  }
}

extension Response.Link: CustomReflectable {
  /// Shows the target without secrets, and the relations.
  public var customMirror: Mirror {
    Mirror(self, children: ["target": target.redactedURL.printable, "relations": relations])
  }
}

extension Request.Address: CustomStringConvertible, CustomReflectable {
  /// The URL without secrets, or the path.
  public var description: String {
    switch self {
    case .url(let url): url.absoluteString.redactedURL.printable
    case .path(let path): path.description.redactedURL.printable
    }
  }

  /// Shows the address without secrets.
  public var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}

extension Parameters: CustomReflectable {
  /// Shows the values as a query, without secrets.
  public var customMirror: Mirror { QueryItems(self, style: Style()).customMirror }
}

extension NestedParameters: CustomReflectable {
  /// Shows the values as a query, without secrets.
  public var customMirror: Mirror { parameters.customMirror }
}
