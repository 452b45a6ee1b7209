import Foundation

/// Serves documents on the loopback interface and prints its address, until the standard input
/// ends.
///
/// It is a process of its own so that none of its work is counted as a client's, and so simple that
/// it takes little of the time in which clients are measured.
@main
enum Serve {
  static func main() throws {
    let server = try Server(answers: [
      Answer("/items", json: Document.json(items: 12, size: 1_024)),
      Answer("/list", json: Document.json(items: 14_000, size: 1 << 20)),
      Answer("/catalogue", json: Document.json(items: 280_000, size: 20 << 20)),
      Answer("/file", zeros: 256 << 20),
    ])
    FileHandle.standardOutput.write(Data("http://127.0.0.1:\(server.port)\n".utf8))
    try server.run(until: FileHandle.standardInput.fileDescriptor)
  }
}

/// JSON as servers answer it.
private enum Document {
  /// - Parameters:
  ///   - items: How many there are in it.
  ///   - size: How many bytes it has at least.
  static func json(items: Int, size: Int) -> String {
    let list = (1...items).map { number in
      #"{"id":\#(1_000 + number),"title":"item \#(number)","price":12.5,"tags":["new","red"]}"#
    }
    let body = #"{"items":[\#(list.joined(separator: ","))],"note":""#
    return body + String(repeating: "x", count: max(0, size - 2 - body.utf8.count)) + #""}"#
  }
}
