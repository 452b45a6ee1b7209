// Names of RFC 9110, RFC 9111 and a few others, in alphabetical order.

extension Headers.Name {
  /// `Accept`: the accepted media types.
  public static let accept: Headers.Name = "Accept"
  /// `Accept-Encoding`: the accepted content codings.
  public static let acceptEncoding: Headers.Name = "Accept-Encoding"
  /// `Accept-Language`: the accepted languages.
  public static let acceptLanguage: Headers.Name = "Accept-Language"
  /// `Accept-Query`: the media types of queries that a resource takes (RFC 10008).
  static let acceptQuery: Headers.Name = "Accept-Query"
  /// `Accept-Ranges`: whether parts can be requested.
  public static let acceptRanges: Headers.Name = "Accept-Ranges"
  /// `Age`: how long a response has been stored, in seconds.
  public static let age: Headers.Name = "Age"
  /// `Allow`: the methods of a resource.
  public static let allow: Headers.Name = "Allow"
  /// `Authorization`: the credential.
  public static let authorization: Headers.Name = "Authorization"
  /// `Cache-Control`: what caches may do.
  public static let cacheControl: Headers.Name = "Cache-Control"
  /// `Connection`: the options of this connection only.
  public static let connection: Headers.Name = "Connection"
  /// `Content-Digest`: hashes of the body (RFC 9530).
  static let contentDigest: Headers.Name = "Content-Digest"
  /// `Content-Disposition`: the name of a part or a download.
  public static let contentDisposition: Headers.Name = "Content-Disposition"
  /// `Content-Encoding`: the coding of the body.
  public static let contentEncoding: Headers.Name = "Content-Encoding"
  /// `Content-Language`: the language of the body.
  public static let contentLanguage: Headers.Name = "Content-Language"
  /// `Content-Length`: the length of the body in bytes.
  public static let contentLength: Headers.Name = "Content-Length"
  /// `Content-Location`: the URL of the representation in the body.
  public static let contentLocation: Headers.Name = "Content-Location"
  /// `Content-Range`: which part of a whole the body is.
  public static let contentRange: Headers.Name = "Content-Range"
  /// `Content-Type`: the media type of the body.
  public static let contentType: Headers.Name = "Content-Type"
  /// `Cookie`: cookies for the server.
  public static let cookie: Headers.Name = "Cookie"
  /// `Date`: when the message was generated.
  public static let date: Headers.Name = "Date"
  /// `Digest`: hashes of the representation, the predecessor of `Repr-Digest` (RFC 3230).
  static let digest: Headers.Name = "Digest"
  /// `ETag`: the validator of a representation.
  public static let eTag: Headers.Name = "ETag"
  /// `Expect`: what the server has to confirm first.
  public static let expect: Headers.Name = "Expect"
  /// `Expires`: until when a response is fresh.
  public static let expires: Headers.Name = "Expires"
  /// `Host`: the requested host.
  public static let host: Headers.Name = "Host"
  /// `Idempotency-Key`: marks repetitions of one request.
  public static let idempotencyKey: Headers.Name = "Idempotency-Key"
  /// `If-Match`: the validators a change is meant for.
  public static let ifMatch: Headers.Name = "If-Match"
  /// `If-Modified-Since`: the date of a stored copy.
  public static let ifModifiedSince: Headers.Name = "If-Modified-Since"
  /// `If-None-Match`: the validators of stored copies.
  public static let ifNoneMatch: Headers.Name = "If-None-Match"
  /// `If-Range`: the validator a part has to fit.
  public static let ifRange: Headers.Name = "If-Range"
  /// `If-Unmodified-Since`: the date a change is meant for.
  public static let ifUnmodifiedSince: Headers.Name = "If-Unmodified-Since"
  /// `Last-Modified`: when a resource changed last.
  public static let lastModified: Headers.Name = "Last-Modified"
  /// `Link`: related resources (RFC 8288).
  public static let link: Headers.Name = "Link"
  /// `Location`: where a redirect leads.
  public static let location: Headers.Name = "Location"
  /// `Origin`: the origin a request comes from.
  public static let origin: Headers.Name = "Origin"
  /// `Pragma`: directives of HTTP/1.0.
  public static let pragma: Headers.Name = "Pragma"
  /// `Proxy-Authorization`: the credential for a proxy.
  public static let proxyAuthorization: Headers.Name = "Proxy-Authorization"
  /// `Range`: the requested part.
  public static let range: Headers.Name = "Range"
  /// `Referer`: where the URL was found.
  public static let referer: Headers.Name = "Referer"
  /// `Repr-Digest`: hashes of the whole representation (RFC 9530).
  static let reprDigest: Headers.Name = "Repr-Digest"
  /// `Retry-After`: when to send the request again.
  public static let retryAfter: Headers.Name = "Retry-After"
  /// `Server-Timing`: what the server spent its time on.
  public static let serverTiming: Headers.Name = "Server-Timing"
  /// `Set-Cookie`: cookies from the server.
  public static let setCookie: Headers.Name = "Set-Cookie"
  /// `TE`: the accepted transfer codings.
  public static let te: Headers.Name = "TE"
  /// `Trailer`: the fields that follow the body.
  public static let trailer: Headers.Name = "Trailer"
  /// `Transfer-Encoding`: how the body is framed.
  public static let transferEncoding: Headers.Name = "Transfer-Encoding"
  /// `Upgrade`: the protocols to change to.
  public static let upgrade: Headers.Name = "Upgrade"
  /// `User-Agent`: the program that sends the request.
  public static let userAgent: Headers.Name = "User-Agent"
  /// `Vary`: which request headers a response depends on.
  public static let vary: Headers.Name = "Vary"
  /// `Warning`: warnings of a cache.
  public static let warning: Headers.Name = "Warning"
  /// `Want-Content-Digest`: which digests of the body are asked for (RFC 9530).
  static let wantContentDigest: Headers.Name = "Want-Content-Digest"
  /// `WWW-Authenticate`: the credentials that a server requires.
  public static let wwwAuthenticate: Headers.Name = "WWW-Authenticate"
}
