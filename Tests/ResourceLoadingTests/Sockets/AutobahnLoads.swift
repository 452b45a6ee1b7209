import Foundation
import ResourceLoading

/// Messages of the Autobahn test suite that a server generates, and that a client has to send back:
/// groups 9, 10, 12 and 13.
///
/// The sizes are those of the suite, the numbers of messages are lower where they are large.
struct AutobahnLoad: Sendable {
  let number: String
  /// What the messages consist of: `text`, `json`, `prose`, `html`, `image` or `noise`, of which the
  /// last two are binary.
  let kind: String
  /// The number of bytes in a message.
  let size: Int
  let count: Int
  /// The number of characters or bytes in a frame; 0 for a frame for each message.
  var part = 0
  /// The number of bytes that are sent at a time; 0 for all of a message.
  var chop = 0
  /// What the server makes of the offer to compress, in JSON; `nil` if nothing is compressed.
  var agreement: String?

  /// The plan of the server.
  var query: QueryItems {
    var query: QueryItems = [
      "kind": kind, "size": "\(size)", "count": "\(count)", "part": "\(part)", "chop": "\(chop)",
      "ends": "well",
    ]
    if let agreement { query.append(["deflate": "\(agreement)"]) }
    return query
  }
}

extension AutobahnLoad {
  /// Groups 9 and 10, and the long messages of group 1.
  static let sizes: [AutobahnLoad] = {
    var loads = [AutobahnLoad(number: "10.1.1", kind: "text", size: 65_536, count: 1, part: 1300)]
    for (index, kind) in ["text", "noise"].enumerated() {
      loads += whole(index, kind) + divided(index, kind) + many(index, kind)
    }
    return loads
  }()

  private static func whole(_ index: Int, _ kind: String) -> [AutobahnLoad] {
    [64, 256, 1024, 4096, 8192, 16_384].map { kilobytes in
      AutobahnLoad(
        number: "9.\(1 + index), \(kilobytes) KiB", kind: kind, size: kilobytes << 10, count: 1)
    }
  }

  private static func divided(_ index: Int, _ kind: String) -> [AutobahnLoad] {
    var loads = [
      AutobahnLoad(number: "1.\(1 + index).8", kind: kind, size: 65_536, count: 1, part: 997)
    ]
    for part in [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1 << 20, 4 << 20] {
      loads.append(
        AutobahnLoad(
          number: "9.\(3 + index), frames of \(part)", kind: kind, size: 4 << 20, count: 1,
          part: part))
    }
    for chop in [64, 128, 256, 512, 1024, 2048] {
      loads.append(
        AutobahnLoad(
          number: "9.\(5 + index), pieces of \(chop)", kind: kind, size: 1 << 20, count: 1,
          chop: chop))
    }
    return loads
  }

  private static func many(_ index: Int, _ kind: String) -> [AutobahnLoad] {
    [0, 16, 64, 256, 1024, 4096].map { size in
      AutobahnLoad(number: "9.\(7 + index), \(size) bytes", kind: kind, size: size, count: 1000)
    }
  }

  /// The sizes of messages and frames in groups 12 and 13.
  private static func compressed(
    _ group: String, _ kind: String, _ agreement: String
  ) -> [AutobahnLoad] {
    let sizes = [16, 64, 256, 1024, 4096, 8192, 16_384, 32_768, 65_536, 131_072]
    var shapes: [(size: Int, part: Int)] = sizes.map { ($0, 0) }
    shapes += sizes.suffix(5).map { ($0, 256) }
    shapes += [1024, 4096, 32_768].map { (131_072, $0) }
    return shapes.enumerated().map { index, load in
      AutobahnLoad(
        number: "\(group).\(index + 1)", kind: kind, size: load.size,
        count: max(2, min(40, 65_536 / load.size)), part: load.part, agreement: agreement)
    }
  }

  /// Group 12: a document in JSON, an image, prose, a page, and noise.
  static let compressed: [AutobahnLoad] = ["json", "image", "prose", "html", "noise"].enumerated()
    .flatMap { index, kind in compressed("12.\(index + 1)", kind, "{}") }

  /// Group 13: the agreements of which the server's sides are the same, and one of both sides.
  static let agreements: [AutobahnLoad] = [
    "{}", #"{"client_no_context_takeover": true}"#, #"{"client_max_window_bits": 9}"#,
    #"{"client_max_window_bits": 15}"#,
    #"{"client_no_context_takeover": true, "client_max_window_bits": 9}"#,
    #"{"client_no_context_takeover": true, "client_max_window_bits": 15}"#,
    #"{"server_no_context_takeover": true, "server_max_window_bits": 9, "client_max_window_bits": 9}"#,
  ].enumerated().flatMap { index, agreement in
    compressed("13.\(index + 1)", "json", agreement)
  }
}
