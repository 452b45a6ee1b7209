extension WireRequest {
  /// The request as a cURL command, without secrets.
  var curlCommand: String {
    Request(method, url: url, headers: headers, body: body.map { .data($0) }).curlCommand
  }
}
