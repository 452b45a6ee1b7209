extension WireRequest {
  /// The request as a cURL command, without secrets.
  var curlCommand: String {
    let redactor = Redactor(Request(method, url: url, headers: headers))
    return CURLCommand(
      method: method, url: url, headers: headers, body: CURLBody(self), redactor
    ).text
  }
}
