import Foundation
import Synchronization

/// Requests a part of a file, and writes it at its place.
final class PartDestination: BodyDestination {
  private let file: PartsFile
  private let slot: Int
  /// The number of the mirror; 0 for the URL of the load.
  private let mirror: Int
  private let addressChoice: AddressChoice

  init(_ file: PartsFile, slot: Int, mirror: Int, _ addressChoice: AddressChoice) {
    self.file = file
    self.slot = slot
    self.mirror = mirror
    self.addressChoice = addressChoice
  }

  var canBeginAgain: Bool { true }

  func open(for request: inout WireRequest.Draft, in context: LoadContext) throws -> any BodySink {
    // An earlier attempt has brought the whole body, up to where it broke.
    if file.isHandedOver { return try file.destination.open(for: &request, in: context) }
    request.addressChoice = addressChoice
    let (range, validator) = file.request(slot)
    request.headers[.acceptEncoding] = request.headers[.acceptEncoding] ?? "identity"
    request.headers[.range] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
    // Validators are those of the first URL; a mirror's are compared in what it answers.
    if mirror == 0 { request.headers[.ifRange] = validator }
    return PartSink(file, slot: slot, mirror: mirror, asked: range, validator, url: request.url)
  }
}

/// Writes the body of one exchange into its place in a file.
///
/// It holds its lock while it writes, so that nothing is written after ``abandon()`` has returned.
final class PartSink: BodySink {
  private let file: PartsFile
  private let slot: Int
  private let mirror: Int
  private let asked: Range<Int>
  private let validator: String?
  private let url: URL
  private let state: Mutex<State>

  private struct State {
    var isOpen = true
    /// The sink of a body that isn't a part.
    var whole: FileSink?
    /// What is announced; `nil` before the head.
    var range: Range<Int>?
    /// The number of bytes that have arrived.
    var received = 0
    /// The bytes that aren't written yet.
    var buffer = WriteBuffer()
    /// The offset of the next byte that is written.
    var position = 0
    /// The digest of this part; until it is checked, the part isn't recorded.
    var check: DigestCheck?
  }

  /// - Parameters:
  ///   - file: The file.
  ///   - slot: The connection.
  ///   - mirror: The number of the mirror; 0 for the URL of the load.
  ///   - asked: What was requested.
  ///   - validator: The validator of the content; `nil` if it isn't known yet.
  ///   - url: The requested URL.
  init(
    _ file: PartsFile, slot: Int, mirror: Int, asked: Range<Int>, _ validator: String?, url: URL
  ) {
    self.file = file
    self.slot = slot
    self.mirror = mirror
    self.asked = asked
    self.validator = validator
    self.url = url
    state = Mutex(State())
  }

  var offset: Int { state.withLock(\.whole)?.offset ?? 0 }
}

// MARK: - Beginning

extension PartSink {
  func begin(_ head: ResponseHead) throws -> SinkDemand {
    if let whole = state.withLock(\.whole) { return try whole.begin(head) }
    switch head.status.rawValue {
    case 206:
      try beginPart(head)
      return .body
    case 416: throw mirror > 0 ? PartFault.mirror : validator == nil ? .unusable : .changed
    // Some servers take a range for a mistake.
    case 400, 501: throw mirror > 0 ? PartFault.mirror : .unusable
    case _ where file.destination.accepted.contains(head.status): return try beginWhole(head)
    default: return .nothing
    }
  }

  private func beginPart(_ head: ResponseHead) throws {
    guard state.withLock({ $0.range == nil }) else { throw PartFault.unusable }
    let range = try file.begin(head, asked: asked, slot: slot, mirror: mirror)
    let digests = head.headers.contentDigests.map { DigestCheck.Expectation($0, from: .server) }
    let check = DigestCheck(file.output, from: range.lowerBound, digests)
    state.withLock { ($0.range, $0.position, $0.check) = (range, range.lowerBound, check) }
  }

  /// Handles a whole body in place of a part.
  private func beginWhole(_ head: ResponseHead) throws -> SinkDemand {
    guard mirror == 0 else { throw PartFault.mirror }
    guard !file.hasContent else {
      throw head.strongValidator == validator ? PartFault.unusable : .changed
    }
    let whole = file.handOver(url)
    state.withLock { $0.whole = whole }
    return try whole.begin(head)
  }
}

// MARK: - Writing and ending

extension PartSink {
  func write(_ chunk: Data) throws {
    if let whole = state.withLock(\.whole) { return try whole.write(chunk) }
    try state.withLock { state in
      guard state.isOpen, let range = state.range else { return }
      state.received += chunk.count
      guard state.received <= range.count else {
        throw LoadError(.connection, "the server sent more of a part than it announced")
      }
      let (waiting, position) = (state.buffer.count + chunk.count, state.position)
      try state.buffer.gather(chunk) { try file.output.write($0, at: position) }
      try record(waiting - state.buffer.count, &state)
    }
  }

  /// Writes what is left in the buffer.
  private func empty(_ state: inout State) throws {
    let (waiting, position) = (state.buffer.count, state.position)
    try state.buffer.empty { try file.output.write($0, at: position) }
    try record(waiting, &state)
  }

  /// Records what was written, unless there is a digest to check before.
  private func record(_ count: Int, _ state: inout State) throws {
    guard count > 0 else { return }
    state.position += count
    if let check = state.check {
      check.advance(to: state.position)
    } else {
      try file.wrote(count, for: slot)
    }
  }

  /// Passes on those of a whole body. A part is recorded while it is written, so that a digest
  /// behind it comes too late.
  func receive(trailers: Headers) throws {
    try state.withLock(\.whole)?.receive(trailers: trailers)
  }

  /// Whether there is a file to be moved, or a digest to be checked.
  var isSlowToFinish: Bool { state.withLock { $0.whole != nil || $0.check != nil } }

  func finish(_ isWanted: () -> Bool) throws {
    if let whole = state.withLock(\.whole) { return try whole.finish(isWanted) }
    try state.withLock { state in
      guard state.isOpen, let range = state.range else { return }
      try empty(&state)
      guard state.received == range.count else {
        throw LoadError(
          .connection, "the part ended after \(state.received) of \(range.count) bytes")
      }
      if let check = state.check {
        try check.finish(at: range.upperBound)
        state.check = nil
        try file.wrote(range.count, for: slot)
      }
      state.isOpen = false
    }
  }

  func abandon() {
    if let whole = state.withLock(\.whole) { return whole.abandon() }
    state.withLock { state in
      guard state.isOpen else { return }
      state.check?.stop()
      if state.range != nil, state.check == nil { try? empty(&state) }
      state.isOpen = false
    }
  }

  func complete(_ response: inout Response) {
    state.withLock(\.whole)?.complete(&response)
  }
}
