import Foundation

/// What the content of a download is checked against: the caller's size and digest, and the digests
/// that the server announces.
struct ContentCheck: Sendable {
  private let options: DownloadOptions
  private var checks: [DigestCheck] = []

  init(_ options: DownloadOptions) { self.options = options }

  /// Begins to check the content of a response; what was begun before is forgotten.
  ///
  /// - Parameters:
  ///   - output: The file that the content is written to.
  ///   - head: The head of the response; `nil` if nothing is announced.
  ///   - offset: The offset of the body in the file.
  ///   - size: The number of bytes in the complete content; `nil` if it isn't known yet.
  mutating func begin(
    _ output: OutputFile, _ head: ResponseHead?, partFrom offset: Int = 0, size: Int?
  ) throws {
    stop()
    if let size, let wanted = options.size, size != wanted {
      throw LoadError(size: size, insteadOf: wanted)
    }
    let named = options.digest.map { DigestCheck.Expectation(digest: $0, source: .caller) }
    let announced = head?.announcedDigests.map {
      DigestCheck.Expectation(digest: $0, source: .server)
    }
    let ofBody = head?.contentDigests.map { DigestCheck.Expectation(digest: $0, source: .server) }
    checks = [
      DigestCheck(output, [named].compactMap(\.self) + (announced ?? [])),
      DigestCheck(output, from: offset, ofBody ?? []),
    ].compactMap(\.self)
  }

  /// Records that everything before an offset is written.
  func advance(to offset: Int) {
    for check in checks { check.advance(to: offset) }
  }

  /// Checks the complete content. It waits.
  mutating func finish(_ output: OutputFile, at end: Int) throws {
    if let wanted = options.size, end != wanted { throw LoadError(size: end, insteadOf: wanted) }
    // Without a response: the content was there.
    if checks.isEmpty, options.digest != nil { try begin(output, nil, size: end) }
    for check in checks { try check.finish(at: end) }
  }

  /// Stops reading the file, and waits until it isn't read any more.
  func stop() {
    for check in checks { check.stop() }
  }
}
