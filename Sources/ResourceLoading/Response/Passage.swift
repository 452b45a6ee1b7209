/// How a response was come by, for caches: what no stage in front of the sender can know for certain.
package struct Provenance: Sendable {
  /// The headers of the first request, as they went on the wire: with the credentials and cookies that stages
  /// further in have added.
  package var headers: Headers
  /// The redirects on the way, in order.
  package var redirects: [ResponseHead] = []
}

extension Response {
  /// How it was come by; `nil` if a middleware made it up.
  package var passage: Provenance? { tools.passage }
}
