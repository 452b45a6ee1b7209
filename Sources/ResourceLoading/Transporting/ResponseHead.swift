/// What comes before a body: the status and the headers.
struct ResponseHead: Sendable, Hashable {
  var status: Status
  var headers: Headers
}
