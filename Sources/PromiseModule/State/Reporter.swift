/// Who is told of a rejection that nobody has seen, for a promise and those derived from it.
@usableFromInline
final class Reporter: Sendable {
  let report: @Sendable (any Error) -> Void

  init(_ report: @escaping @Sendable (any Error) -> Void) {
    self.report = report
  }
}
