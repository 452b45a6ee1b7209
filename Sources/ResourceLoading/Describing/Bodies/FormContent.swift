import Foundation

/// Named values as `application/x-www-form-urlencoded` has them.
struct FormContent: Sendable, Hashable {
  /// The encoded text.
  let text: String
  /// Why it can't be sent.
  private let flaw: String?

  init(_ parameters: Parameters, _ style: Parameters.Style) {
    do {
      let encode = PercentEncoding.form.encode
      text = try parameters.entries(in: style)
        .map { "\(encode($0.name))=\(encode($0.values.joined(separator: ",")))" }
        .joined(separator: "&")
      flaw = nil
    } catch {
      text = ""
      flaw = LoadError(sending: error).reason
    }
  }

  /// - Throws: `LoadError` of kind `invalidRequest` if a value couldn't be encoded.
  func data() throws -> Data {
    if let flaw { throw LoadError(.invalidRequest, flaw) }
    return Data(text.utf8)
  }
}
