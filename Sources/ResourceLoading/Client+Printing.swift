import Foundation
import ResourcePrimitives

extension Client: CustomStringConvertible, CustomReflectable {
  /// The client in a line, `Client(https://api.example.org/v1)`, without secrets.
  public var description: String { "Client(\(configuration.shownBase))" }

  /// Shows the configuration without secrets.
  public var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}

extension Client.Configuration: CustomStringConvertible, CustomReflectable {
  /// The configuration in a line, `Client.Configuration(https://api.example.org/v1)`, without
  /// secrets.
  public var description: String { "Client.Configuration(\(shownBase))" }

  /// Shows the settings without secrets: the URL, the defaults of requests, the types of the
  /// middleware and of the transport.
  public var customMirror: Mirror {
    let children: KeyValuePairs<String, Any> = [
      "baseURL": shownBase, "headers": headers.redacted(secretNames: options.secretNames),
      "query": shown(query),
      "parameters": shown(parameters), "options": options,
      "middleware": middleware.map { "\(type(of: $0))" },
      "transport": transport.map { "\(type(of: $0))" } ?? "its own", "tls": tls,
      "proxy": proxy.map { "\($0)" } ?? "none",
      "maximumRequestsPerHost": maximumRequestsPerHost ?? .max,
      "maximumRequests": maximumRequests ?? .max, "maximumMemory": maximumMemory ?? .max,
    ]
    return Mirror(self, children: children)
  }

  fileprivate var shownBase: String {
    (baseURL?.absoluteString ?? "no base URL").redactedURL(secretNames: options.secretNames)
      .printable
  }

  private func shown(_ items: QueryItems) -> String {
    "?\(items.encoded)".redactedURL(secretNames: options.secretNames).printable
  }
}
