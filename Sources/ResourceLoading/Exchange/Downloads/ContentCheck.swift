import Foundation

/// What the content of a download is checked against: the caller's size and digest, and the digests
/// that the server announces.
struct ContentCheck: Sendable {
  private let options: DownloadOptions
  private var checks: [DigestCheck] = []
  /// The offset of the body's first byte; `nil` without a body, or if it has a content coding.
  private var bodyOffset: Int?

  init(_ options: DownloadOptions) { self.options = options }

  /// Begins to check the content of a response, and forgets any earlier one. The body is written to
  /// `output` from `offset` on. `head` is `nil` if nothing is announced, and `size` if the number
  /// of bytes in the complete content isn't known yet.
  mutating func begin(
    _ output: OutputFile, _ head: ResponseHead?, partFrom offset: Int = 0, size: Int?
  ) throws {
    stop()
    if let size, let wanted = options.size, size != wanted {
      throw LoadError(size: size, insteadOf: wanted)
    }
    bodyOffset = head.flatMap { $0.headers.hasNoCoding ? offset : nil }
    let named = options.digest.map { DigestCheck.Expectation($0, from: .caller) }
    checks = Self.checks(
      output, [named].compactMap(\.self), head?.headers ?? [:], partFrom: offset)
  }

  /// Adds the digests that follow the body. For these everything is read once more at the end.
  mutating func add(_ trailers: Headers, _ output: OutputFile) {
    guard let bodyOffset else { return }
    checks += Self.checks(output, [], trailers, partFrom: bodyOffset)
  }

  private static func checks(
    _ output: OutputFile, _ named: [DigestCheck.Expectation], _ fields: Headers,
    partFrom offset: Int
  ) -> [DigestCheck] {
    let announced = fields.announcedDigests.map { DigestCheck.Expectation($0, from: .server) }
    let ofBody = fields.contentDigests.map { DigestCheck.Expectation($0, from: .server) }
    return [
      DigestCheck(output, named + announced), DigestCheck(output, from: offset, ofBody),
    ].compactMap(\.self)
  }

  /// Records that everything before an offset is written.
  func advance(to offset: Int) {
    for check in checks { check.advance(to: offset) }
  }

  /// Checks the complete content. It blocks.
  mutating func finish(_ output: OutputFile, at end: Int) throws {
    if let wanted = options.size, end != wanted { throw LoadError(size: end, insteadOf: wanted) }
    // Without a response: the content was there.
    if checks.isEmpty, options.digest != nil { try begin(output, nil, size: end) }
    for check in checks { try check.finish(at: end) }
  }

  /// Stops reading the file, and waits until nothing reads it.
  func stop() {
    for check in checks { check.stop() }
  }
}
