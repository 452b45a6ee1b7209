import Foundation

extension Response {
  /// The media types of the bodies with which the resource can be queried, with their parameters,
  /// by the header `Accept-Query` (RFC 10008 section 3). Empty if the server names none, or if the
  /// header is malformed.
  public var acceptedQueries: [MediaType] {
    (headers.list(.acceptQuery) ?? []).compactMap(MediaType.init)
  }
}

extension MediaType {
  /// Creates a media type, which `Accept-Query` writes as a token or a string.
  fileprivate init?(_ member: StructuredField.Member) {
    let essence: String
    switch member.item?.value {
    case .token(let text), .string(let text): essence = text
    default: return nil
    }
    let parameters = member.parameters.all.compactMap { parameter -> String? in
      switch parameter.value {
      case .token(let text): "; \(parameter.key)=\(text)"
      case .string:
        StructuredField.text(StructuredField.Item(parameter.value)).map {
          "; \(parameter.key)=\($0)"
        }
      default: nil
      }
    }
    self.init(rawValue: essence + parameters.joined())
  }
}
