import Foundation
import ResourcePrimitives

/// Sends digests of bodies, and checks those of responses (RFC 9530), so that content that changed
/// on its way, or in a store behind the server, isn't taken for the original.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), DigestMiddleware(requiresDigest: true)]
/// }
/// ```
///
/// A request with a body gets a `Content-Digest` of SHA-256, unless it has one. A body that is a
/// stream is sent without, because it isn't read before.
///
/// Each request asks for a digest by `Want-Content-Digest`, and for a body without a content coding
/// by `Accept-Encoding: identity`, unless it has these headers: digests are those of the coded
/// bytes. Successful responses in memory are then compared with their `Content-Digest` and, if they
/// are whole, their `Repr-Digest`, in front of the body or behind it, as far as these are of SHA-256
/// or SHA-512. One that doesn't match fails with a ``LoadError`` of kind
/// ``LoadError/Kind/digest``, which ``RetryMiddleware`` in front of it doesn't retry. Downloads
/// check the digests of their files without any middleware. Streams aren't compared, because what
/// has arrived has been read before the end is there.
///
/// Put it last, behind middleware that changes bodies, but before one that signs headers.
public struct DigestMiddleware: PredictableMiddleware {
  private let requiresDigest: Bool

  /// Creates a middleware.
  ///
  /// - Parameter requiresDigest: Whether a successful response with a body, but without a digest
  ///   that can be compared, fails, too.
  public init(requiresDigest: Bool = false) { self.requiresDigest = requiresDigest }

  /// Passes on the request with a digest, and checks the response.
  ///
  /// - Throws: What the next middleware throws; a ``LoadError`` of kind ``LoadError/Kind/digest``
  ///   if a digest doesn't match; one of kind ``LoadError/Kind/invalidRequest`` if the body can't
  ///   be read.
  public func respond(to request: Request, next: Next) async throws -> Response {
    var asking = try await signed(request, encoder: next.encoder)
    asking.headers[.wantContentDigest] = asking.headers[.wantContentDigest] ?? "sha-256=10"
    asking.headers[.acceptEncoding] = asking.headers[.acceptEncoding] ?? "identity"
    let response = try await next(asking)
    guard next.keepsBody, request.method != .head else { return response }
    try await check(response)
    return response
  }

  private func signed(_ request: Request, encoder: JSONEncoder) async throws -> Request {
    guard let body = request.body, !body.isStream, request.upload == nil,
      request.headers[.contentDigest] == nil
    else { return request }
    let wire = try body.wireBody(encoder: encoder)
    let hash = Data(try await Self.hash(wire))
    var signed = request
    // The same bytes are sent that were hashed, even if encoding again gave others.
    signed.body = .pieces(wire, as: body.mediaType)
    signed.headers[.contentDigest] = "sha-256=:\(hash.base64EncodedString()):"
    return signed
  }

  @concurrent private static func hash(_ body: WireBody) async throws -> [UInt8] {
    var (hash, reader) = (RunningDigest(.sha256), body.makeReader())
    while let piece = try reader.next(atMost: 1 << 18) { hash.update(piece) }
    return hash.finishBytes()
  }
}

// MARK: - Responses

extension DigestMiddleware {
  private func check(_ response: Response) async throws {
    let (status, headers) = (response.status, response.headers)
    guard status.isSuccess, status.hasBody, headers.hasNoCoding else { return }
    let fields = [headers, response.trailers]
    let whole = status == .partialContent ? [] : fields.flatMap(\.announcedDigests)
    let digests = fields.flatMap(\.contentDigests) + whole
    guard !digests.isEmpty else {
      if requiresDigest, !response.body.isEmpty { throw LoadError.noDigest }
      return
    }
    for digest in digests {
      let found = await Self.hash(response.body, by: digest.algorithm)
      guard found == digest.hexadecimal else {
        throw LoadError(digest, found: found, from: .server)
      }
    }
  }

  @concurrent private static func hash(
    _ bytes: Data, by algorithm: DownloadOptions.Digest.Algorithm
  ) async -> String {
    let hash = RunningDigest(algorithm)
    hash.update(bytes)
    return hash.finish()
  }
}

extension LoadError {
  fileprivate static let noDigest = LoadError(
    .digest, "the response has no digest of SHA-256 or SHA-512, which is required",
    advice: "Have the server send a Content-Digest, or don't require one")
}
