import Foundation
import ResourceLoading
import ResourcePrimitives

/// Replaces the secrets of a load in every text that is shown, and whatever can't be seen in it.
struct ReportText {
  private let redactor: TextRedactor
  private let secretNames: Set<String>?

  init(_ record: LoadRecord) {
    self.init(record.request, secretNames: record.secretNames)
  }

  /// - Parameter secretNames: Further names of secrets, unless the request has its own.
  init(_ request: Request, secretNames: Set<String>?) {
    self.init(
      url: request.url.absoluteString, request.headers,
      secretNames: request.options.secretNames ?? secretNames)
  }

  init(url: String, _ headers: Headers = [:], secretNames: Set<String>?) {
    self.secretNames = secretNames
    redactor = TextRedactor(url: url, headers, secretNames: secretNames)
  }

  func callAsFunction(_ text: String) -> String { redactor.redact(text).printable }

  func url(_ url: URL) -> String { self.url(url.absoluteString) }

  func url(_ url: String) -> String { redactor.redact(url: url).printable }

  /// A text of several lines.
  func lines(_ text: String) -> String {
    text.parts(between: "\n", omittingEmpty: false).map { self(String($0)) }
      .joined(separator: "\n")
  }

  /// Headers without secrets.
  func headers(_ headers: Headers) -> [(name: String, value: String)] {
    headers.map { field in
      let isSecret = Secrets.isSecret(name: field.name.rawValue, or: secretNames)
      return (
        self(field.name.rawValue), isSecret ? Secrets.replacement : self(field.value)
      )
    }
  }
}

extension Duration {
  /// The length in milliseconds, to the microsecond.
  var milliseconds: Double { (seconds * 1_000_000).rounded() / 1000 }
}
