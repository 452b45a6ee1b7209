import Foundation
import ResourcePrimitives

/// A connection to an inspector's server that sends exactly what a test says.
final class PageClient {
  private let socket: Socket
  private var received: [UInt8] = []

  /// Connects; `receiveBuffer` is the size of the kernel's buffer.
  init(to url: URL, receiveBuffer: Int? = nil) throws {
    socket = Socket(try SystemCalls.openSocket(.ipv4))
    if let receiveBuffer {
      try SystemCalls.setReceiveBuffer(socket.descriptor, size: receiveBuffer)
    }
    try SystemCalls.beginConnecting(socket.descriptor, port: UInt16(url.port ?? 0))
  }

  /// Sends a request with the right host, or with other fields.
  func get(_ target: String, at url: URL, method: String = "GET", fields: [String]? = nil) throws {
    let host = "Host: \(url.host() ?? ""):\(url.port ?? 0)"
    let lines = ["\(method) \(target) HTTP/1.1"] + (fields ?? [host]) + ["", ""]
    try socket.send(Array(lines.joined(separator: "\r\n").utf8))
  }

  /// Returns everything until the server closes.
  func receiveToEnd() throws -> String {
    while let bytes = try socket.receive(atMost: 1 << 16) { received += bytes }
    return String(decoding: received, as: UTF8.self)
  }

  /// Returns everything through a text; `nil` if the server closes before.
  func receive(through mark: String) throws -> String? {
    let mark = Array(mark.utf8)
    while true {
      if let range = received.firstRange(of: mark) {
        defer { received.removeFirst(range.upperBound) }
        return String(decoding: received[..<range.upperBound], as: UTF8.self)
      }
      guard let bytes = try socket.receive(atMost: 1 << 16) else { return nil }
      received += bytes
    }
  }

  func close() { socket.close() }

  /// Returns the whole response to one request.
  static func exchange(
    _ target: String, at url: URL, method: String = "GET", fields: [String]? = nil
  ) throws -> String {
    let client = try PageClient(to: url)
    defer { client.close() }
    try client.get(target, at: url, method: method, fields: fields)
    return try client.receiveToEnd()
  }
}
