import Dispatch
import Foundation
import Synchronization

/// Hashes a file from an offset on while it is written, and compares the result with what it should
/// be.
///
/// It reads back what was written, which is in the system's buffers, so that it doesn't matter in
/// which order the bytes came, and whether they came in this run of the program.
final class DigestCheck: Sendable {
  /// Who says what the digest is.
  enum Source: Sendable { case caller, server }

  /// What the digest has to be.
  struct Expectation: Sendable {
    let digest: DownloadOptions.Digest
    let source: Source

    init(_ digest: DownloadOptions.Digest, from source: Source) {
      (self.digest, self.source) = (digest, source)
    }
  }

  private let file: OutputFile
  private let expectations: [Expectation]
  private let queue = DispatchQueue(label: "ResourceLoading.DigestCheck")
  private let state: Mutex<State>
  /// Apart from the state, so that nothing waits for a block to be hashed.
  private let hashes: Mutex<[DownloadOptions.Digest.Algorithm: RunningDigest]>

  private struct State {
    /// The offset before which everything is written.
    var available: Int
    var hashed: Int
    var isRunning = false
    var isStopped = false
    /// An error of reading.
    var failure: (any Error)?
  }

  /// - Parameters:
  ///   - file: The file, which must stay open until this is finished or stopped.
  ///   - start: The offset of the first byte to hash.
  ///   - expectations: What is compared; `nil` is returned if there is nothing.
  init?(_ file: OutputFile, from start: Int = 0, _ expectations: [Expectation]) {
    guard !expectations.isEmpty else { return nil }
    self.file = file
    self.expectations = expectations
    var hashes: [DownloadOptions.Digest.Algorithm: RunningDigest] = [:]
    for one in expectations {
      hashes[one.digest.algorithm] =
        hashes[one.digest.algorithm] ?? RunningDigest(one.digest.algorithm)
    }
    self.hashes = Mutex(hashes)
    state = Mutex(State(available: start, hashed: start))
  }

  /// The number of bytes that are read and hashed at once.
  private static let stride = 1 << 20

  /// Records that everything before an offset is written. It doesn't wait.
  func advance(to offset: Int) {
    let begins = state.withLock { state in
      state.available = max(state.available, offset)
      guard !state.isRunning, state.available - state.hashed >= Self.stride else { return false }
      state.isRunning = true
      return true
    }
    if begins { queue.async { self.run() } }
  }

  /// Hashes what is available.
  private func run() {
    while true {
      let next = state.withLock { state -> Range<Int>? in
        guard !state.isStopped, state.failure == nil, state.hashed < state.available else {
          state.isRunning = false
          return nil
        }
        return state.hashed..<min(state.available, state.hashed + Self.stride)
      }
      guard let next else { return }
      let failure = hash(next)
      state.withLock { state in
        state.failure = failure
        state.hashed = next.upperBound
      }
    }
  }

  private func hash(_ range: Range<Int>) -> (any Error)? {
    do {
      let bytes = try file.read(range.count, at: range.lowerBound)
      guard bytes.count == range.count else {
        throw LoadError(.file, "the file \(file.path) was cut by another program")
      }
      hashes.withLock { for hash in $0.values { hash.update(bytes) } }
      return nil
    } catch {
      return error
    }
  }

  /// Hashes the rest, up to the offset after the last byte, and compares. It blocks.
  func finish(at end: Int) throws {
    advance(to: end)
    queue.sync { run() }
    if let failure = state.withLock(\.failure) { throw failure }
    let found = hashes.withLock { hashes in
      defer { hashes = [:] }
      return hashes.mapValues { $0.finish() }
    }
    for one in expectations {
      guard let hash = found[one.digest.algorithm], hash != one.digest.hexadecimal else { continue }
      throw LoadError(one.digest, found: hash, from: one.source)
    }
  }

  /// Ends the work, and waits until nothing reads the file.
  func stop() {
    state.withLock { $0.isStopped = true }
    queue.sync {}
  }
}
