package import ResourceLoading

extension Request {
  /// The request with the validators of a stored response, both if it has both (RFC 9111 section 4.3.1).
  package func validating(_ response: Response) -> Request {
    var request = self
    if let tag = response.headers[.eTag] { request.headers[.ifNoneMatch] = tag }
    if let change = response.headers[.lastModified] { request.headers[.ifModifiedSince] = change }
    return request
  }
}
