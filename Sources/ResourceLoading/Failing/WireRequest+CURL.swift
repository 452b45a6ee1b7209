extension WireRequest {
  /// The request as a cURL command, without secrets.
  var curlCommand: String {
    let body = body.map { Request.Body(content: .ready($0), mediaType: .data) }
    return Request(method, url: url, headers: headers, body: body).curlCommand
  }
}
