package import Foundation
internal import ResourcePrimitives

/// Replaces secrets in every text that a tool shows, and whatever can't be seen in it.
package struct ReportText {
  private let redactor: TextRedactor
  private let secretNames: Set<String>?

  /// - Parameter secretNames: Further names of secrets, unless the request has its own.
  package init(_ request: Request, secretNames: Set<String>?) {
    self.init(
      url: request.url.absoluteString, request.headers,
      secretNames: request.options.secretNames ?? secretNames)
  }

  package init(url: String, _ headers: Headers = [:], secretNames: Set<String>?) {
    self.secretNames = secretNames
    redactor = TextRedactor(url: url, headers, secretNames: secretNames)
  }

  package func callAsFunction(_ text: String) -> String { redactor.redact(text).printable }

  package func url(_ url: URL) -> String { self.url(url.absoluteString) }

  package func url(_ url: String) -> String { redactor.redact(url: url).printable }

  /// A text of several lines.
  package func lines(_ text: String) -> String {
    text.parts(between: "\n", omittingEmpty: false).map { self(String($0)) }
      .joined(separator: "\n")
  }

  /// Headers without secrets.
  package func headers(_ headers: Headers) -> [(name: String, value: String)] {
    headers.map { field in
      let isSecret = Secrets.isSecret(name: field.name.rawValue, or: secretNames)
      return (
        self(field.name.rawValue), isSecret ? Secrets.replacement : self(field.value)
      )
    }
  }
}
