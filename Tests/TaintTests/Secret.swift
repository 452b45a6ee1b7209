import Foundation
import ResourceLoading

/// A text that no output may contain, in any spelling.
struct Secret: Sendable {
  /// How a secret is recognised, besides by its name.
  enum Shape: Sendable {
    /// Letters and digits, which are spelled alike everywhere.
    case plain
    /// With characters that URLs, JSON, HTML and shells escape.
    case awkward
    /// A token that is recognised by its form, wherever it stands.
    case token
  }

  let text: String
  /// The parts that can't occur by chance, and that no escaping changes.
  private let cores: [String]

  /// Creates the secret of a name: the same one in each run, and another one for each name.
  init(_ name: String, _ shape: Shape = .plain) {
    var letters = Letters(name)
    switch shape {
    case .plain:
      cores = [letters.next(24)]
      text = cores[0]
    case .awkward:
      cores = [letters.next(16), letters.next(16)]
      text = cores.joined(separator: #"/+="&<'%"#)
    case .token:
      cores = [letters.next(32)]
      text = "ghp_" + cores[0]
    }
  }

  /// The secret as base64 and in hexadecimal, as a server might repeat it.
  var encodings: [String] {
    [Data(text.utf8).base64EncodedString(), Spelling.hexadecimal(text)]
  }

  /// Whether a request holds the secret in some spelling: a server can't repeat another one.
  func isSent(in request: WireRequest) -> Bool {
    var lines = [Output("URL", request.url.absoluteString)]
    lines += request.headers.map { Output("header", $0.value) }
    lines.append(Output("body", (try? request.body?.data()) ?? Data()))
    return !leaks(in: lines).isEmpty
  }

  /// The spellings in which the secret is searched for.
  private var spellings: [Spelling] { cores.flatMap(Spelling.all) }

  /// Returns where the secret, or a part of eight letters of it, is found, and how it is spelled.
  func leaks(in outputs: [Output]) -> [String] {
    let spellings = spellings
    // Nearly always there is nothing, which one search for each spelling shows.
    let all = outputs.reduce(into: Data()) { $0 += $1.bytes + [1] }.searchable
    guard spellings.contains(where: { $0.isFound(in: all) }) else { return [] }
    return outputs.flatMap { output in
      let bytes = output.bytes.searchable
      let found = spellings.filter { $0.isFound(in: bytes) }
      return Set(found.map(\.name)).sorted().map { name in
        "\(output.name): \(name): \(around(found.first { $0.name == name }, in: output.bytes))"
      }
    }
  }
}

extension Secret {
  /// The text around a finding.
  private func around(_ spelling: Spelling?, in bytes: Data) -> String {
    let place = spelling.flatMap { bytes.firstRange(of: Data($0.text.utf8)) }
    let start = max(0, (place?.lowerBound ?? 0) - 300)
    return String(decoding: bytes.dropFirst(start).prefix(600), as: UTF8.self)
  }
}

extension Data {
  /// The bytes as C searches them, with ones for zeros: in debug builds a search in Swift would
  /// take most of the time of these tests.
  fileprivate var searchable: [CChar] {
    var bytes = self + [0]
    let count = self.count
    bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var place = base
      while let zero = memchr(place, 0, base + count - place) {
        zero.storeBytes(of: 1, as: UInt8.self)
        place = zero + 1
      }
    }
    return bytes.withUnsafeBytes { Array($0.bindMemory(to: CChar.self)) }
  }
}

/// A way to write a text of letters and digits.
private struct Spelling {
  let name: String
  let text: String

  /// Whether the text is in some bytes, which end with a zero and have no other.
  func isFound(in bytes: [CChar]) -> Bool { strstr(bytes, text) != nil }

  static func all(of core: String) -> [Spelling] {
    let hexadecimal = hexadecimal(core)
    let ends = [String(core.prefix(8)), String(core.suffix(8))]
    return ends.map { Spelling(name: "clear", text: $0) }
      + [hexadecimal, hexadecimal.uppercased()].map { Spelling(name: "hexadecimal", text: $0) }
      + percentEncoded(core) + base64(core)
  }

  static func hexadecimal(_ text: String) -> String {
    text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// Every character escaped, once and twice.
  private static func percentEncoded(_ core: String) -> [Spelling] {
    let once = core.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
    return [once, once.lowercased(), once.replacing("%", with: "%25")].map {
      Spelling(name: "percent-encoded", text: $0)
    }
  }

  /// What is the same wherever the text begins within three bytes, in both alphabets.
  private static func base64(_ core: String) -> [Spelling] {
    (0..<3).flatMap { offset in
      let bytes = Data(repeating: 0, count: offset) + Data(core.utf8)
      let whole = bytes.base64EncodedString().dropFirst(offset == 0 ? 0 : offset + 1)
      let text = String(whole.dropLast(4))
      let inURLs = text.replacing("+", with: "-").replacing("/", with: "_")
      return [text, inURLs].map { Spelling(name: "base64", text: $0) }
    }
  }
}

/// Letters and digits that follow from a name.
private struct Letters {
  private static let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
  private var state: UInt64

  init(_ name: String) {
    state = name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  mutating func next(_ count: Int) -> String {
    String(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Self.alphabet[Int(state >> 33) % Self.alphabet.count]
      })
  }
}
