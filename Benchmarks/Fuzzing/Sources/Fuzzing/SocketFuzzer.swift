import Foundation
import Trials

@testable import ResourceLoading

/// Frames of WebSockets: bytes that are no frames, frames around the payload, and messages that
/// were written, cut and mixed with pings.
struct SocketFuzzer: Fuzzer {
  /// Whether messages may be compressed.
  let compresses: Bool
  let bounds: Bounds

  init(compresses: Bool) {
    self.compresses = compresses
    // A message may grow by some thousand, up to the limits below, and is kept in several copies.
    bounds =
      compresses
      ? Bounds(
        time: (constant: 250_000_000, perByte: 600_000), memory: (constant: 32 << 20, perByte: 8000)
      )
      : Bounds(memory: (constant: 2 << 20, perByte: 200))
  }

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    let setting = Setting(&choices, compresses: compresses)
    switch choices.pick(3) {
    case 0:
      checkSplits(payload, setting)
      checkMachine(payload, setting)
    case 1: checkSplits(framed(payload, &choices, setting), setting)
    default: checkMessages(payload, &choices, setting)
    }
  }

  /// What is read may be larger than what came.
  func growth(from short: [UInt8], to long: [UInt8], _ choices: Choices) -> Double {
    var choices = choices
    let setting = Setting(&choices, compresses: compresses)
    let isFramed = choices.pick(3) == 1
    let works = [short, long].map { payload in
      var choices = choices
      let bytes = isFramed ? framed(payload, &choices, setting) : payload
      return bytes.count + Outcome(bytes, setting, steps: [.max]).work(setting)
    }
    let growth = Double(long.count) / Double(short.count)
    return max(growth, Double(works[1]) / Double(max(1, works[0])))
  }
}

/// How frames are read.
private struct Setting {
  let isMasked: Bool
  private(set) var compression: WebSocketCompression?
  let limit: Int

  init(_ choices: inout Choices, compresses: Bool) {
    isMasked = choices.flip()
    limit = choices.pick([4 << 20, 1 << 20, 4096, 100])
    var compression = WebSocketCompression()
    compression.othersMessagesStandAlone = choices.flip()
    compression.ownMessagesStandAlone = choices.flip()
    compression.ownWindowBits = choices.pick([15, 8, 9, 12])
    self.compression = compresses ? compression : nil
  }

  var reader: WebSocketReader {
    WebSocketReader(
      limit: limit, isMasked: isMasked, inflater: compression.flatMap { WebSocketInflater($0) })
  }

  var writer: WebSocketWriter {
    WebSocketWriter(
      masks: isMasked, deflater: compression.flatMap { WebSocketDeflater($0) })
  }

  /// How the other side reads what `writer` has written.
  var opposite: Setting {
    var setting = self
    setting.compression?.othersMessagesStandAlone = compression?.ownMessagesStandAlone ?? false
    setting.compression?.ownMessagesStandAlone = compression?.othersMessagesStandAlone ?? false
    return setting
  }

  /// What masks a frame.
  func key(_ choices: inout Choices) -> [UInt8]? {
    isMasked ? (0..<4).map { _ in UInt8(choices.pick(256)) } : nil
  }
}

/// What was read.
private struct Outcome: Equatable {
  var events: [WebSocketReader.Event] = []
  var violation: WebSocketViolation?

  /// - Parameter steps: The sizes of the pieces, in turn.
  init(_ bytes: [UInt8], _ setting: Setting, steps: [Int]) {
    var reader = setting.reader
    var (rest, index) = (bytes[...], 0)
    do throws(WebSocketViolation) {
      while !rest.isEmpty {
        let piece = rest.prefix(steps[index % steps.count])
        (rest, index) = (rest.dropFirst(piece.count), index + 1)
        try reader.read(piece, into: &events)
      }
    } catch {
      violation = error
    }
  }

  /// The number of bytes that came of it.
  func work(_ setting: Setting) -> Int {
    let size = events.reduce(0) { $0 + $1.size }
    return violation?.code == .messageTooBig ? size + setting.limit : size
  }
}

extension WebSocketReader.Event {
  fileprivate var size: Int {
    switch self {
    case .message(.text(let text)): text.utf8.count
    case .message(.binary(let data)): data.count
    case .ping(let payload), .pong(let payload): payload.count
    case .close(let closure): closure.reason.utf8.count
    }
  }
}

extension SocketFuzzer {
  private func checkSplits(_ bytes: [UInt8], _ setting: Setting) {
    let whole = Outcome(bytes, setting, steps: [.max])
    for steps in [[1], [7], [2, 500]] {
      let split = Outcome(bytes, setting, steps: steps)
      claim(split == whole, "split by \(steps) it is something else: \(split) and \(whole)")
    }
    for event in whole.events { check(event, setting) }
    if let violation = whole.violation {
      claim(violation.code.maySend, "a code that can't be sent: \(violation)")
      claim(violation.reason.utf8.count <= 123, "a reason that would be cut: \(violation)")
    }
    checkWritten(whole.events, setting)
  }

  private func check(_ event: WebSocketReader.Event, _ setting: Setting) {
    switch event {
    case .message: claim(event.size <= setting.limit, "more than the limit")
    case .ping, .pong: claim(event.size <= 125, "a long control frame")
    case .close(let closure):
      claim(event.size <= 123, "a long reason")
      claim(closure.code?.maySend ?? closure.reason.isEmpty, "a reserved code: \(closure)")
    }
  }

  /// What is written is read again.
  private func checkWritten(_ events: [WebSocketReader.Event], _ setting: Setting) {
    var writer = setting.writer
    let bytes = events.reduce(into: Data()) { bytes, event in
      switch event {
      case .message(let message): bytes += writer.frame(message)
      case .ping(let payload): bytes += writer.control(.ping, payload)
      case .pong(let payload): bytes += writer.control(.pong, payload)
      case .close(let closure): bytes += writer.close(closure)
      }
    }
    let again = Outcome(Array(bytes), setting.opposite, steps: [.max])
    claim(again.events == events && again.violation == nil, "\(again) instead of \(events)")
  }

  /// Frames whose payloads are parts of the payload.
  private func framed(
    _ payload: [UInt8], _ choices: inout Choices, _ setting: Setting
  ) -> [UInt8] {
    let size = choices.pick([20, 100, 126, 1000, 1 << 16])
    let isText = choices.flip()
    let key = setting.key(&choices)
    return stride(from: 0, to: payload.count, by: size).flatMap { start in
      let part = payload[start..<min(payload.count, start + size)]
      // The first byte of each part says what the frame is.
      let kind = part.first ?? 0
      let opcode: WebSocketOpcode =
        switch kind % 8 {
        case 0: .ping
        case 1: .continuation
        case 2: .close
        default: isText ? .text : .binary
        }
      let isCompressed = setting.compression != nil && kind & 0x10 != 0 && kind % 8 > 2
      let isFinal = opcode.isControl || kind & 0x20 == 0
      return WebSocketFrame(opcode, isFinal: isFinal, isCompressed: isCompressed)
        .bytes(part.dropFirst().prefix(opcode.isControl ? 125 : .max), mask: key)
    }
  }

  /// Messages that were written are read, with pings in between.
  private func checkMessages(_ payload: [UInt8], _ choices: inout Choices, _ setting: Setting) {
    let size = min(choices.pick([1, 50, 130, 5000]), setting.limit)
    var (writer, bytes) = (setting.writer, [UInt8]())
    var messages: [WebSocketReader.Event] = []
    for start in stride(from: 0, to: payload.count, by: max(size, payload.count / 100)) {
      let part = payload[start..<min(payload.count, start + size)]
      let text = String(validating: part, as: UTF8.self)
      let message = text.map { WebSocket.Message.text($0) } ?? .binary(Data(part))
      bytes += writer.frame(message)
      messages.append(.message(message))
      if part.first.map({ $0 % 4 == 0 }) == true { bytes += writer.control(.ping) }
    }
    let read = Outcome(bytes, setting.opposite, steps: [choices.pick([1, 3, 1000])])
    claim(read.violation == nil, "it isn't read: \(read)")
    claim(read.events.filter { $0 != .ping([]) } == messages, "other messages: \(read)")
  }

  /// What the connection answers is what a server reads: a pong for each ping, and one close frame
  /// at the end.
  private func checkMachine(_ payload: [UInt8], _ setting: Setting) {
    guard !setting.isMasked else { return }
    var options = WebSocket.Options()
    options.maximumMessageSize = setting.limit
    var machine = WebSocketMachine(options, setting.compression)
    let expected = Outcome(payload, setting, steps: [.max])
    var sent = WebSocketReader(limit: .max, isMasked: true)
    var answers: [WebSocketReader.Event] = []
    for start in stride(from: 0, to: payload.count, by: 500) {
      for wake in machine.receive(Data(payload[start..<min(payload.count, start + 500)])).wakes {
        wake()
      }
      while let frame = machine.nextFrame() {
        _ = machine.taken(frame.origin, true)
        do { try sent.read(frame.bytes, into: &answers) } catch {
          claim(false, "an answer that nobody reads: \(error)")
        }
      }
    }
    let pings = expected.events.prefix { if case .close = $0 { false } else { true } }
      .compactMap { if case .ping(let payload) = $0 { payload } else { nil } }
    let pongs = answers.compactMap { if case .pong(let payload) = $0 { payload } else { nil } }
    let closes = answers.filter { if case .close = $0 { true } else { false } }
    let ends = expected.violation != nil || machine.closure != nil
    // Of many that come at once some needn't be answered, but the last.
    claim(pongs.count <= pings.count, "\(pongs) for \(pings)")
    claim(ends || pongs.last == pings.last, "\(pongs) for \(pings)")
    claim(closes.count == (ends ? 1 : 0), "\(closes) for \(expected)")
    _ = machine.end(nil)
  }
}
