import Foundation

private struct FetchFailure: Error {}

/// The code under test of the documentation's samples. It loads the body of a complete response of
/// known length with status 200.
func fetch(_ url: URL) async throws -> String {
  let client = try RawClient(port: UInt16(url.port ?? 0))
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try get(url.path, from: client) }) }.start()
    }
  } onCancel: {
    client.shutDown()
  }
}

private func get(_ path: String, from client: RawClient) throws -> String {
  try client.send("GET \(path) HTTP/1.1\r\n\r\n")
  var answer = try client.receive(through: "\r\n\r\n")
  guard let end = answer.range(of: "\r\n\r\n")?.upperBound else { throw FetchFailure() }
  let head = answer[..<end]
  guard head.hasPrefix("HTTP/1.1 200 "), let field = head.range(of: "Content-Length: "),
    let length = Int(head[field.upperBound...].prefix(while: \.isNumber))
  else { throw FetchFailure() }

  let whole = head.utf8.count + length
  while answer.utf8.count < whole {
    let some = try client.receiveSome()
    if some.isEmpty { throw FetchFailure() }
    answer += String(decoding: some, as: UTF8.self)
  }
  return String(decoding: answer.utf8.suffix(length), as: UTF8.self)
}
