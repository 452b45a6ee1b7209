import Foundation
import ResourceLoading

/// A request that the server had.
struct SeenRequest: Decodable {
  let number: Int?
  let method: String
  let headers: [String: JSONValue]
  /// The headers that the response must have when it arrives.
  let responseHeaders: [[JSONValue]]

  private enum CodingKeys: String, CodingKey {
    case number = "request_num"
    case method = "request_method"
    case headers = "request_headers"
    case responseHeaders = "response_headers"
  }

  func header(_ name: String) -> String? { headers[name.lowercased()]?.headerText }
}

// What is expected of the requests that the server had.
extension Case {
  func check(_ seen: [SeenRequest], _ responses: [Response]) throws {
    // Requests that the cache answers aren't among those that the server had.
    let sent = requests.indices.filter { requests[$0]["expected_type"]?.string != "cached" }
    for (position, index) in sent.enumerated() {
      let request = position < seen.count ? seen[position] : nil
      try requests[index].check(request, number: index + 1, responses[index])
    }
  }
}

extension Step {
  fileprivate func check(_ seen: SeenRequest?, number: Int, _ response: Response) throws {
    switch self["expected_type"]?.string {
    case "not_cached":
      try expect(
        seen?.number == number, "expected_type", "request \(number) wasn't the server's next")
    case "etag_validated": try checkCondition("if-none-match", of: seen, number)
    case "lm_validated": try checkCondition("if-modified-since", of: seen, number)
    default: break
    }
    try checkHeaders(of: seen, number)
    try checkMissingHeaders(of: seen, number)
    for header in seen?.responseHeaders ?? [] where header.count > 1 {
      try checkArrival(header[0].headerText, header[1].headerText, response, number)
    }
    if let method = self["expected_method"]?.string {
      try expect(
        seen?.method == method, "expected_method",
        "the method of request \(number) was \(seen?.method ?? "none"), not \(method)")
    }
  }

  private func checkCondition(
    _ name: String, of seen: SeenRequest?, _ number: Int
  ) throws(Failure) {
    try expect(seen != nil, "expected_type", "request \(number) wasn't sent")
    try expect(
      seen?.header(name) != nil, "expected_type", "request \(number) was sent without \(name)")
  }

  private func checkHeaders(of seen: SeenRequest?, _ number: Int) throws(Failure) {
    for header in self["expected_request_headers"]?.array ?? [] {
      let parts = header.array ?? [header]
      let name = parts.first?.headerText ?? ""
      let value = seen?.header(name)
      let isMet = parts.count > 1 ? value == parts[1].headerText : value != nil
      try expect(
        isMet, "expected_request_headers",
        "\(name) of request \(number) was \(value.map { "'\($0)'" } ?? "missing")"
          + (parts.count > 1 ? ", not '\(parts[1].headerText)'" : ""))
    }
  }

  private func checkMissingHeaders(of seen: SeenRequest?, _ number: Int) throws(Failure) {
    for header in self["expected_request_headers_missing"]?.array ?? [] {
      let parts = header.array ?? [header]
      let name = parts.first?.headerText ?? ""
      guard let value = seen?.header(name) else { continue }
      let isMet = parts.count > 1 && value != parts[1].headerText
      try expect(
        isMet, "expected_request_headers_missing", "\(name) of request \(number) was '\(value)'")
    }
  }

  /// What the server sent must have arrived, apart from what a client keeps to itself.
  private func checkArrival(
    _ name: String, _ sent: String, _ response: Response, _ number: Int
  ) throws(Failure) {
    guard !["date", "set-cookie", "set-cookie2"].contains(name.lowercased()) else { return }
    let arrived = response.headers.text(name)
    try ensure(
      arrived == sent,
      "\(name) of response \(number) is \(arrived.map { "'\($0)'" } ?? "missing"), not '\(sent)'")
  }
}
