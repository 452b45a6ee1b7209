import Foundation

/// Finds what a server says about a failure in the body of its answer.
enum ServerMessage {
  /// The message in a JSON body, or `nil` where there is none.
  ///
  /// It looks for problem details (RFC 9457: `detail`, `title`), GraphQL's `errors`, and the members that
  /// APIs commonly use. At most 1 MiB is read and at most 500 characters are returned.
  static func find(in response: Response) -> String? {
    guard response.body.count <= 1 << 20, looksLikeJSON(response),
      let body = try? JSONDecoder().decode(Body.self, from: response.body), let text = body.text
    else { return nil }
    // A little more than is shown, so that a secret can't hide behind the cut.
    let shown = SecretText.redact(String(text.prefix(4096)))
    return shown.count > 500 ? shown.prefix(500) + "…" : shown
  }

  private static func looksLikeJSON(_ response: Response) -> Bool {
    let essence = response.mediaType?.essence ?? ""
    let first = response.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return essence.hasSuffix("json") || first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// What may hold a message: a text, a list of such, or an object with a telling member.
  private struct Body: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
      if let object = try? decoder.container(keyedBy: Member.self) {
        text = Member.allCases.lazy.compactMap { Self.text(of: $0, in: object) }.first
      } else if let list = try? [Body](from: decoder) {
        let texts = list.prefix(5).compactMap(\.text)
        text = texts.isEmpty ? nil : texts.joined(separator: "; ")
      } else {
        let plain = try? decoder.singleValueContainer().decode(String.self)
        text = plain.flatMap { $0.isEmpty ? nil : $0 }
      }
    }

    private static func text(
      of member: Member, in object: KeyedDecodingContainer<Member>
    ) -> String? {
      (try? object.decode(Body.self, forKey: member))?.text
    }
  }

  /// The members that hold a message, the more telling ones first.
  private enum Member: String, CodingKey, CaseIterable {
    case detail
    case message
    case errorDescription = "error_description"
    case errorMessage = "error_message"
    case title
    case errors
    case error
    case reason
    case msg
  }
}
