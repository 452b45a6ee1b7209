import Foundation
import ResourceTesting

/// Serves a kilobyte of JSON on the loopback interface and prints its address, until the standard
/// input ends.
///
/// It is a process of its own so that none of its work is counted as the client's.
@main
enum Serve {
  static func main() throws {
    let document = Self.document
    let server = try LoopbackServer {
      Route("GET /items") { _ in .json(document) }
    }
    FileHandle.standardOutput.write(Data("\(server.url("/items").absoluteString)\n".utf8))
    while readLine() != nil {}
    server.stop()
  }

  /// 1,024 bytes, as small answers of servers look.
  private static var document: String {
    let items = (1...12).map { number in
      #"{"id":\#(1_000 + number),"title":"item \#(number)","price":12.5,"tags":["new","red"]}"#
    }
    let body = #"{"items":[\#(items.joined(separator: ","))],"note":""#
    return body + String(repeating: "x", count: max(0, 1_022 - body.utf8.count)) + #""}"#
  }
}
